"""The grammar of CEL expressions as a finite automaton.

ANTLR's algorithms for prediction and error recovery (in `memkube.cel.parsing`) work on the states of this automaton.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from memkube.cel.parsing.grammar import RULES, Alternative, Block, Element, Rule, Subrule, Terminal

# Stands for the end of the grammar rule in sets of the token kinds that may follow a state.
END: Final = "<end>"


class OnToken(NamedTuple):
    """An edge of the automaton that consumes one token, whose kind is in `kinds`."""

    target: int
    kinds: frozenset[str]


class OnRule(NamedTuple):
    """An edge of the automaton that enters a grammar rule. `follow` is the state after the end of the rule."""

    target: int
    follow: int


class OnNothing(NamedTuple):
    """An edge of the automaton that consumes no token.

    If `precedence` is not 0, the edge leads to operators of this precedence. `returns` is the name of the
    left-recursive rule that the edge leaves, if the rule was entered with the precedence 0; otherwise "".
    """

    target: int
    precedence: int = 0
    returns: str = ""


Edge: TypeAlias = OnToken | OnRule | OnNothing


@dataclass(frozen=True, slots=True)
class Match:
    """A step of parsing that consumes one token."""

    state: int
    kinds: tuple[str, ...]
    into: str


@dataclass(frozen=True, slots=True)
class Enter:
    """A step of parsing that parses another grammar rule, and adds its tree to the parse tree of this rule."""

    state: int
    follow: int
    rule: str
    precedence: int
    into: str


@dataclass(frozen=True, slots=True)
class Path:
    """One alternative of a grammar rule: its steps, its first state and the name of its node in the parse tree."""

    steps: tuple["Step", ...]
    state: int
    name: str


@dataclass(frozen=True, slots=True)
class Fork:
    """A step of parsing that parses one of several alternatives, once or repeatedly.

    The parser chooses the alternative at the state `state`. If the step is a loop, `entry` is the state before its
    first iteration, and `back` is the state after each iteration.
    """

    state: int
    paths: tuple[Path, ...]
    repeat: str
    predicted: bool
    entry: int
    back: int


Step: TypeAlias = Match | Enter | Fork


@dataclass(frozen=True, slots=True)
class Program:
    """How to parse a grammar rule: by the steps of `path` and, in a left-recursive rule, by the loop `operators`."""

    name: str
    state: int
    path: Path
    operators: Fork | None


@dataclass(slots=True)
class Automaton:
    """The states of the automaton and the edges between them.

    A state is a number, the index of its items in the lists. Each state has one edge that consumes a token, or edges
    that consume none.
    """

    edges: list[list[Edge]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    # States at which a grammar rule ends.
    stops: set[int] = field(default_factory=set)
    # States at which the parser deletes an unexpected token if the token after it fits.
    forks: set[int] = field(default_factory=set)
    # States at which the parser skips all unexpected tokens.
    backs: set[int] = field(default_factory=set)
    # For the first state of each loop over operators, the state at which an iteration ends.
    operator_loops: dict[int, int] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    # For each state, the kinds of tokens that may follow within the same grammar rule.
    following: list[frozenset[str]] = field(default_factory=list)

    def consumes_nothing(self, state: int) -> bool:
        """True if the state has edges and none of them consumes a token."""
        return bool(self.edges[state]) and not isinstance(self.edges[state][0], OnToken)


@cache
def automaton() -> Automaton:
    """Return the automaton of the grammar of expressions. The first call builds it."""
    return _Writer().written()


class _Writer:
    def __init__(self) -> None:
        self._automaton = Automaton()
        self._rule = ""
        self._starts: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._calls: list[tuple[Subrule, int]] = []

    def written(self) -> Automaton:
        automaton = self._automaton
        for self._rule in RULES:
            self._starts[self._rule], self._ends[self._rule] = self._state(), self._state()
            automaton.stops.add(self._ends[self._rule])
        for self._rule, rule in RULES.items():
            automaton.programs[self._rule] = self._program(rule)
        for called, follow in self._calls:
            # A left-recursive rule enters itself with a precedence above 0 only, so the precedence 0 means that another
            # rule has entered it.
            outermost = RULES[called.rule].operators is not None and called.precedence == 0
            automaton.edges[self._ends[called.rule]].append(OnNothing(follow, 0, called.rule if outermost else ""))
        automaton.following = [self._following(state) for state in range(len(automaton.edges))]
        return automaton

    def _state(self) -> int:
        self._automaton.edges.append([])
        self._automaton.rules.append(self._rule)
        return len(self._automaton.edges) - 1

    def _link(self, state: int, edge: Edge) -> None:
        self._automaton.edges[state].append(edge)

    def _program(self, rule: Rule) -> Program:
        start, end = self._starts[self._rule], self._ends[self._rule]
        if rule.operators is None:
            path = self._path(rule.body, end)
            operators = None
        else:
            operators, entry = self._fork(rule.operators, end)
            path = self._path(rule.body, entry)
        self._link(start, OnNothing(path.state))
        return Program(self._rule, start, path, operators)

    def _path(self, alternative: Alternative, end: int) -> Path:
        """Create the states of a grammar alternative, in reverse order: its last element leads to the state `end`."""
        steps: list[Step] = []
        for element in reversed(alternative.elements):
            step, end = self._element(element, end)
            steps.insert(0, step)
        if alternative.precedence:
            state = self._state()
            self._link(state, OnNothing(end, alternative.precedence))
            end = state
        return Path(tuple(steps), end, alternative.name)

    def _element(self, element: Element, end: int) -> tuple[Step, int]:
        match element:
            case Terminal():
                state = self._state()
                self._link(state, OnToken(end, frozenset(element.kinds)))
                return Match(state, element.kinds, element.into), state
            case Subrule():
                state = self._state()
                self._link(state, OnRule(self._starts[element.rule], end))
                self._calls.append((element, end))
                return Enter(state, end, element.rule, element.precedence, element.into), state
            case Block():
                return self._fork(element, end)

    def _fork(self, block: Block, end: int) -> tuple[Fork, int]:
        automaton = self._automaton
        state, joined = self._state(), self._state()
        automaton.forks.add(state)
        paths = tuple(self._path(alternative, joined) for alternative in block.alternatives)
        for path in paths:
            self._link(state, OnNothing(path.state))
        entry = back = state
        if block.repeat in {"*", "+"}:
            back, out = self._state(), self._state()
            automaton.backs.add(back)
            self._link(joined, OnNothing(back))
            self._link(out, OnNothing(end))
            if block.repeat == "*":
                entry = self._state()
                automaton.forks.add(entry)
                self._link(back, OnNothing(entry))
                self._link(entry, OnNothing(state))
                self._link(entry, OnNothing(out))
                if block.alternatives[0].precedence:
                    automaton.operator_loops[entry] = joined
            else:
                self._link(back, OnNothing(state))
                self._link(back, OnNothing(out))
        else:
            self._link(joined, OnNothing(end))
            if block.repeat == "?":
                self._link(state, OnNothing(joined))
        return Fork(state, paths, block.repeat, block.predicted, entry, back), entry

    def _following(self, state: int) -> frozenset[str]:
        automaton = self._automaton
        if state in automaton.stops:
            return frozenset({END})
        found: set[str] = set()
        for edge in automaton.edges[state]:
            # An edge that enters another rule leads to the first tokens of that rule. The tokens after the rule cannot
            # be next, because each rule consumes a token.
            found |= edge.kinds if isinstance(edge, OnToken) else self._following(edge.target)
        return frozenset(found)
