"""Choice between the alternatives of a grammar rule, by looking ahead at as many tokens as necessary.

This is ANTLR's adaptive LL(*) prediction. A prediction follows all alternatives through the automaton at once, first
without regard to the rules that called the current rule. If this does not decide, the prediction starts again with
these callers. If no alternative can continue with the next token, the error is "no viable alternative".
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from memkube.cel.parsing.automaton import Automaton, OnNothing, OnRule, OnToken
from memkube.cel.parsing.contexts import EMPTY, EMPTY_RETURN, Context, Contexts
from memkube.cel.parsing.tokens import EOF


class NoViableAlternative(Exception):
    """Raised if no alternative of a grammar rule matches the tokens.

    `start` is the index of the first token, and `offending` is the index of the token that does not fit.
    """

    def __init__(self, start: int, offending: int) -> None:
        super().__init__(start, offending)
        self.start = start
        self.offending = offending


class Lookahead(Protocol):
    """The tokens that a parser has not consumed yet. `index` is the index of the first of them, the current token."""

    index: int

    def kind(self, ahead: int) -> str:
        """Return the kind of the token that is `ahead` tokens after the current one."""
        ...


class _Position:
    """A state of the automaton that one alternative of a grammar rule can reach by the tokens read so far.

    `context` has the states to return to when grammar rules end. `outside` is true if the alternative has left the
    rule in which it began. `filter_suppressed` is true if the filter by operator precedence must keep the position.
    """

    __slots__ = ("alternative", "context", "filter_suppressed", "outside", "state")

    def __init__(
        self, state: int, alternative: int, context: Context, outside: bool = False, filter_suppressed: bool = False
    ) -> None:
        self.state = state
        self.alternative = alternative
        self.context = context
        self.outside = outside
        self.filter_suppressed = filter_suppressed

    def at(self, state: int) -> "_Position":
        return _Position(state, self.alternative, self.context, self.outside, self.filter_suppressed)

    @property
    def key(self) -> tuple[int, int, int, bool, bool]:
        return self.state, self.alternative, id(self.context), self.outside, self.filter_suppressed


class _Positions:
    """A set of positions: the states of the automaton that the alternatives of a grammar rule can reach.

    Positions with the same state and alternative are merged into one.
    """

    def __init__(self, contexts: Contexts, with_callers: bool) -> None:
        self._contexts = contexts
        self._wildcard = not with_callers
        self._found: dict[tuple[int, int], _Position] = {}

    def __iter__(self) -> Iterator[_Position]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def add(self, position: _Position) -> None:
        known = self._found.setdefault((position.state, position.alternative), position)
        if known is position:
            return
        known.context = self._contexts.merged(known.context, position.context, self._wildcard)
        known.outside = known.outside or position.outside
        known.filter_suppressed = known.filter_suppressed or position.filter_suppressed

    @property
    def key(self) -> tuple[tuple[int, int, int, bool, bool], ...]:
        """Key for a cache: equal positions have equal keys."""
        return tuple(sorted(position.key for position in self))

    @property
    def unique_alternative(self) -> int:
        """Number of the alternative to which all positions belong; 0 if there are several, or no positions."""
        alternatives = {position.alternative for position in self}
        return alternatives.pop() if len(alternatives) == 1 else 0

    def conflicts(self) -> list[set[int]]:
        """Group the alternatives by state and callers, and return the set of alternatives in each group."""
        found: dict[tuple[int, int], set[int]] = {}
        for position in self:
            found.setdefault((position.state, id(position.context)), set()).add(position.alternative)
        return list(found.values())

    def all_alternatives_share_states(self) -> bool:
        """True if each state that an alternative can reach can be reached by another alternative too."""
        found: dict[int, set[int]] = {}
        for position in self:
            found.setdefault(position.state, set()).add(position.alternative)
        return all(len(alternatives) > 1 for alternatives in found.values())


class _Known:
    """Cached result of reading some tokens: the positions of all alternatives after these tokens.

    `next` has the results of reading one more token, by the kind of this token. `alternative` is the chosen
    alternative, or 0 if more tokens are necessary. `conflict` is true if the choice depends on the callers.
    """

    __slots__ = ("alternative", "conflict", "next", "positions")

    def __init__(self, positions: _Positions, alternative: int = 0, conflict: bool = False) -> None:
        self.positions = positions
        self.alternative = alternative
        self.conflict = conflict
        self.next: dict[str, _Known | None] = {}


class Predictor:
    """Predicts which alternatives of grammar rules match the tokens of one expression. All predictions are cached."""

    def __init__(self, states: Automaton) -> None:
        self._states = states
        self._contexts = Contexts()
        self._starts: dict[tuple[int, int, int], _Known] = {}
        self._known: dict[object, _Known] = {}

    def predict(self, decision: int, tokens: Lookahead, callers: Sequence[int], precedence: int) -> int:
        """Return the number of the alternative to parse at the state `decision`, counted from 1.

        `callers` are the states to return to when the rules that are being parsed end. Operators with a lower
        precedence than `precedence` are not parsed. Raises NoViableAlternative if no alternative matches the tokens.
        """
        alternative = self._decide(decision, tokens, precedence, None)
        if alternative:
            return alternative
        context = EMPTY
        for follow in callers:
            context = self._contexts.pushed(context, follow)
        return self._decide(decision, tokens, precedence, context)

    def _decide(self, decision: int, tokens: Lookahead, precedence: int, context: Context | None) -> int:
        """Return the number of the alternative at the state `decision` that matches the next tokens, `tokens`.

        Operators with a lower precedence than `precedence` are not parsed. `context` has the rules that called the
        current grammar rule. If it is None, these callers are not considered, and the result is 0 if the choice depends
        on them. Raises NoViableAlternative if no alternative matches.
        """
        known = self._start(decision, precedence, context)
        ahead = 0
        while True:
            kind = tokens.kind(ahead)
            if kind in known.next:
                following = known.next[kind]
            else:
                following = known.next[kind] = self._after(decision, known, kind, context)
            if following is None:
                if finished := self._finished(known.positions):
                    return finished
                # As in cel-go, the error names the token that does not fit or, with a `context`, the first token.
                raise NoViableAlternative(tokens.index, tokens.index + (ahead if context is None else 0))
            if following.alternative or following.conflict:
                return following.alternative
            known = following
            ahead += kind != EOF

    def _start(self, decision: int, precedence: int, context: Context | None) -> _Known:
        key = decision, precedence, id(context)
        found = self._starts.get(key)
        if found is None:
            positions = self._start_positions(decision, precedence, context)
            if decision in self._states.operator_loops and context is None:
                positions = self._without_lower_precedence(positions)
            found = self._starts[key] = _Known(positions)
        return found

    def _after(self, decision: int, known: _Known, kind: str, context: Context | None) -> _Known | None:
        positions = self._reach(known.positions, kind, decision, with_callers=context is not None)
        if positions is None:
            return None
        alternative, conflict = positions.unique_alternative, False
        if not alternative and context is not None:
            least = {min(found) for found in positions.conflicts()}
            alternative = least.pop() if len(least) == 1 else 0
        elif not alternative:
            conflict = all(position.state in self._states.stops for position in positions) or (
                any(len(found) > 1 for found in positions.conflicts()) and positions.all_alternatives_share_states()
            )
        key = decision, context is None, positions.key
        return self._known.setdefault(key, _Known(positions, alternative, conflict))

    def _start_positions(self, decision: int, precedence: int, context: Context | None) -> _Positions:
        positions = _Positions(self._contexts, context is not None)
        closure = self._closure(decision, positions, context is not None)
        for number, edge in enumerate(self._states.edges[decision], 1):
            closure.busy.clear()
            closure.add(_Position(edge.target, number, context or EMPTY), precedence, at_end=False)
        return positions

    def _closure(self, decision: int, positions: _Positions, with_callers: bool) -> "_Closure":
        states = self._states
        rule = states.rules[decision] if decision in states.operator_loops else None
        return _Closure(states, self._contexts, positions, rule, with_callers)

    def _without_lower_precedence(self, positions: _Positions) -> _Positions:
        """Return `positions` without those at which leaving a loop over operators only repeats what continuing it does.

        Alternative 1 continues the loop, and the others leave it. If alternative 1 has a position with the same state
        and the same callers as a position of another alternative, the latter is dropped, so that the loop continues.
        """
        loop = {position.state: position.context for position in positions if position.alternative == 1}
        found = _Positions(self._contexts, with_callers=False)
        for position in positions:
            if (
                position.alternative == 1
                or position.filter_suppressed
                or loop.get(position.state) is not position.context
            ):
                found.add(position)
        return found

    def _reach(self, positions: _Positions, kind: str, decision: int, *, with_callers: bool) -> _Positions | None:
        """Return the positions after a token of this kind; None if no alternative can continue with it.

        `decision` is the state at which the parser chooses an alternative. `with_callers` is true if the prediction
        considers the rules that called the current rule.
        """
        states = self._states
        moved = _Positions(self._contexts, with_callers)
        finished = []
        for position in positions:
            if position.state in states.stops:
                if with_callers or kind == EOF:
                    finished.append(position)
                continue
            for edge in states.edges[position.state]:
                if isinstance(edge, OnToken) and kind in edge.kinds:
                    moved.add(position.at(edge.target))
        if not finished and kind != EOF and moved.unique_alternative:
            return moved
        reached = _Positions(self._contexts, with_callers)
        closure = self._closure(decision, reached, with_callers)
        for position in moved:
            closure.add(position, None, at_end=kind == EOF)
        if kind == EOF:
            reached = self._at_stops(reached, with_callers)
        if finished and not (with_callers and any(position.state in states.stops for position in reached)):
            for position in finished:
                reached.add(position.at(position.state))
        return reached if len(reached) else None

    def _finished(self, positions: _Positions) -> int:
        """Return the lowest number of an alternative that has finished the rule in which it began; 0 if none has."""
        return min(
            (
                position.alternative
                for position in positions
                if position.outside or (position.state in self._states.stops and position.context.may_be_empty)
            ),
            default=0,
        )

    def _at_stops(self, positions: _Positions, with_callers: bool) -> _Positions:
        found = _Positions(self._contexts, with_callers)
        for position in positions:
            if position.state in self._states.stops:
                found.add(position)
        return found


class _Closure:
    """Finds the positions (states of the automaton) that can be reached from a position without consuming a token."""

    def __init__(
        self, states: Automaton, contexts: Contexts, positions: _Positions, rule: str | None, with_callers: bool
    ) -> None:
        self.busy: set[tuple[int, int, int, bool, bool]] = set()
        self._states = states
        self._contexts = contexts
        self._positions = positions
        self._rule = rule
        self._with_callers = with_callers

    def add(self, position: _Position, precedence: int | None, *, at_end: bool) -> None:
        """Add all positions that can be reached from `position` without consuming a token.

        If `at_end` is true, edges that consume the end of the text are followed too. If `precedence` is not None,
        operators with a lower precedence are ignored in the grammar rule of `position`, but not in other rules.
        """
        states = self._states
        waiting = [(position, 0)]
        while waiting:
            current, depth = waiting.pop()
            if current.state in states.stops and not self._return_to_callers(current, depth, waiting):
                continue
            if not states.consumes_nothing(current.state):
                self._positions.add(current)
            for number, edge in enumerate(states.edges[current.state]):
                if number == 0 and self._repeats_operators(current):
                    continue
                if isinstance(edge, OnToken):
                    if at_end and EOF in edge.kinds:
                        waiting.append((current.at(edge.target), depth))
                elif isinstance(edge, OnRule):
                    entered = current.at(edge.target)
                    entered.context = self._contexts.pushed(current.context, edge.follow)
                    waiting.append((entered, depth + 1 if depth >= 0 else depth))
                elif current.state in states.stops:
                    self._return_to_possible_caller(current, edge, depth, waiting)
                elif precedence is None or depth or not edge.precedence or edge.precedence >= precedence:
                    waiting.append((current.at(edge.target), depth))

    def _return_to_callers(self, current: _Position, depth: int, waiting: list[tuple[_Position, int]]) -> bool:
        """Continue after the grammar rule at whose end `current` is: add a position in each of its callers.

        The positions are added to `waiting`. If the callers are unknown, add nothing and return True; otherwise, return
        False. `waiting` has the positions that the closure has yet to visit. Each has a depth, which for the added ones
        is `depth`; operator precedence is considered only at depth 0.
        """
        if current.context is EMPTY:
            if self._with_callers:
                self._positions.add(current)
            return not self._with_callers
        for number, state in enumerate(current.context.returns):
            if state == EMPTY_RETURN:
                ended = current.at(current.state)
                ended.context = EMPTY
                assert self._with_callers
                self._positions.add(ended)
            else:
                returned = current.at(state)
                returned.context = current.context.callers[number]
                returned.filter_suppressed = False
                waiting.append((returned, depth))
        return False

    def _return_to_possible_caller(
        self, current: _Position, edge: OnNothing, depth: int, waiting: list[tuple[_Position, int]]
    ) -> None:
        """Add the position in one possible caller of a grammar rule to `waiting`; `edge` leads to this caller.

        Called if `current` is at the end of the rule, and the actual callers are unknown. `waiting` has the positions
        that the closure has yet to visit. Each has a depth, which for the added one is `depth` - 1; operator precedence
        is considered only at depth 0.
        """
        returned = current.at(edge.target)
        returned.filter_suppressed = current.filter_suppressed or edge.returns == self._rule
        returned.outside = True
        if returned.key not in self.busy:
            self.busy.add(returned.key)
            waiting.append((returned, depth - 1))

    def _repeats_operators(self, position: _Position) -> bool:
        """True if `position` is at the start of a loop over operators that each caller of the rule will continue.

        After the return to such a caller, the caller parses the next operators. So this position must not parse them.
        """
        end = self._states.operator_loops.get(position.state)
        return end is not None and all(state == end for state in position.context.returns)
