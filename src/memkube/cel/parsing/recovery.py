"""Parser that reports all syntax errors of an expression, with the messages and the error recovery of ANTLR.

It follows the automaton of the grammar, and returns a parse tree even for an invalid expression.
"""

import re
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

from memkube.cel.issues import Issue, Source
from memkube.cel.parsing.automaton import END, Automaton, Enter, Fork, Match, Path, Program
from memkube.cel.parsing.prediction import Lookahead, NoViableAlternative, Predictor
from memkube.cel.parsing.tokens import EOF, KINDS, Token, Tokens

_DEEPEST: Final = 250
_MOST_ERRORS: Final = 100
_MOST_RECOVERIES: Final = 30
_MOST_SKIPPED: Final = 256
_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}
_SHOWN: Final = {kind: kind if kind[0].isupper() or kind == EOF else f"'{kind}'" for kind in KINDS}
_NAMED: Final = frozenset(kind for kind in KINDS if kind[0].isupper())
_reserved: Final = re.compile("no viable alternative at input '.(true|false|null)'")


class Abandoned(Exception):
    """Raised if parsing stops because a limit is exceeded. The error is in the list of issues already."""


class _Mismatch(Exception):
    """Raised if the current token is not one of the expected tokens."""


@dataclass(slots=True)
class Tree:
    """A node of the parse tree: the name of its grammar rule or alternative, its first token and its named parts."""

    name: str
    start: Token
    parts: dict[str, "Tree | Token"] = field(default_factory=dict)
    lists: dict[str, list["Tree | Token"]] = field(default_factory=dict)

    def add(self, into: str, part: "Tree | Token") -> None:
        """Add a child node or token under the name `into`. Parts under a name that ends with ``+`` form a list."""
        if into.endswith("+"):
            self.lists.setdefault(into[:-1], []).append(part)
        elif into:
            self.parts[into] = part


_Rule: TypeAlias = Generator[Enter, Tree | None, Tree]
_Steps: TypeAlias = Generator[Enter, Tree | None, None]


class _Stream(Lookahead):
    """The tokens of an expression except white space and comments, with the index of the current token.

    Unrecognized text is reported as an error when the parser first reads a token after it.
    """

    def __init__(self, tokens: Tokens, parser: "RecoveringParser") -> None:
        self.index = 0
        self._tokens = tokens
        self._parser = parser
        self._unrecognized = iter(tokens.unrecognized)
        self._next = next(self._unrecognized, None)
        self._last = len(tokens.visible) - 1

    def token(self, ahead: int = 0) -> Token:
        """Return the token `ahead` tokens after the current one, or the token EOF at the end of the text."""
        index = min(self.index + ahead, self._last)
        while self._next is not None and self._next.before <= self._tokens.places[index]:
            found, self._next = self._next, next(self._unrecognized, None)
            self._parser.report(found.start, f"token recognition error at: '{found.text}'")
        return self._tokens.visible[index]

    def kind(self, ahead: int) -> str:
        return self.token(ahead).kind

    def consume(self) -> None:
        if self.index < self._last:
            self.index += 1
            self.token()

    def text(self, first: int, last: int) -> str:
        """Return the text from the token at index `first` to that at index `last`, with white space and comments."""
        places = self._tokens.places
        return "".join(token.text for token in self._tokens.every[places[first] : places[last] + 1])

    def previous(self) -> Token | None:
        return self._tokens.visible[self.index - 1] if self.index else None


class RecoveringParser:
    """Parses one expression. Its syntax errors are added to `issues`."""

    def __init__(self, source: Source, tokens: Tokens, states: Automaton, predictor: Predictor) -> None:
        self.issues: list[Issue] = []
        self._source = source
        self._stream = _Stream(tokens, self)
        self._states = states
        self._predictor = predictor
        self._state = 0
        self._follows: list[int] = []
        self._precedences: list[int] = []
        self._depths: dict[str, int] = {}
        self._reported = 0
        # True after an error until a token matches again. Meanwhile, further errors are not reported.
        self._recovering = False
        self._recoveries = 0
        self._last_index = -1
        self._last_states: set[int] = set()

    def parse(self) -> Tree:
        """Parse the expression and return its parse tree. Raises Abandoned if a limit is exceeded."""
        active = [self._rule(self._states.programs["start"], 0)]
        finished: Tree | None = None
        while active:
            try:
                # A generator parses each grammar rule, not a recursive function: Python limits recursion.
                entered = active[-1].send(finished)
            except StopIteration as stop:
                finished = stop.value
                active.pop()
                if self._follows:
                    self._follows.pop()
            else:
                finished = None
                self._follows.append(entered.follow)
                active.append(self._rule(self._states.programs[entered.rule], entered.precedence))
        assert finished is not None
        return finished

    def report(self, offset: int, message: str) -> None:
        """Add a syntax error to the issues. Raises Abandoned if the expression has too many errors."""
        self._reported += 1
        if self._reported > _MOST_ERRORS:
            message = f"More than {_MOST_ERRORS} syntax errors"
        # In cel-go, a syntax error in an empty expression has no position.
        issue = self._source.issue(offset, f"Syntax error: {message}")
        self.issues.append(issue if self._source.text else Issue(1, -1, issue.message))
        if self._reported > _MOST_ERRORS:
            raise Abandoned

    def _abandon(self, message: str) -> NoReturn:
        self.issues.append(Issue(-1, -1, message))
        raise Abandoned

    # Each of the following methods parses the part of the input that matches one rule of the grammar or one element.

    def _rule(self, program: Program, precedence: int) -> _Rule:
        """Parse the input by the grammar rule `program`, up to an operator with a lower precedence than `precedence`.

        This generator yields each grammar rule that occurs inside the rule, and must be sent the parse tree of that
        inner rule. It returns the parse tree of the whole rule.
        """
        self._enter(program.name)
        self._state = program.state
        holder = [Tree(program.path.name or program.name, self._stream.token())]
        if program.operators is not None:
            self._precedences.append(precedence)
        try:
            yield from self._steps(program.path, holder)
            if program.operators is not None:
                yield from self._operators(program, program.operators, holder)
        except (_Mismatch, NoViableAlternative) as error:
            self._report_error(error)
            self._recover()
        if program.operators is not None:
            self._precedences.pop()
        self._depths[program.name] = max(self._depths[program.name] - 1, 0)
        return holder[0]

    def _enter(self, rule: str) -> None:
        depth = self._depths[rule] = self._depths.get(rule, 0) + 1
        if depth > _DEEPEST:
            self._abandon(f"expression recursion limit exceeded: {_DEEPEST}")

    def _steps(self, path: Path, holder: list[Tree]) -> _Steps:
        """Parse the grammar elements of the alternative `path` in order, and add the results to the parse tree.

        `holder` is a list with the tree as its only item. The tree is in a list because parsing an operator replaces
        it.
        """
        for step in path.steps:
            match step:
                case Match():
                    self._state = step.state
                    holder[0].add(step.into, self._matched(step))
                case Enter():
                    self._state = step.state
                    part = yield step
                    assert part is not None
                    holder[0].add(step.into, part)
                case Fork():
                    yield from self._fork(step, holder)

    def _fork(self, fork: Fork, holder: list[Tree]) -> _Steps:
        self._at(fork.entry)
        if fork.repeat == "?":
            if self._begins(fork.paths[0]):
                yield from self._steps(fork.paths[0], holder)
        elif fork.repeat == "":
            path = fork.paths[self._chosen(fork) - 1]
            holder[0].name = path.name
            yield from self._steps(path, holder)
        else:
            more = fork.repeat == "+" or self._goes_on(fork)
            while more:
                yield from self._steps(fork.paths[0], holder)
                self._at(fork.back)
                more = self._goes_on(fork)

    def _operators(self, program: Program, loop: Fork, holder: list[Tree]) -> _Steps:
        """Parse the operators after the left operand in the left-recursive rule `program`, with their right operands.

        `loop` is the loop over these operators. `holder` is a list whose only item is the parse tree of the left
        operand. After each operator, this item is replaced by the tree of the whole operation, which is the left
        operand of the next operator.
        """
        self._at(loop.entry)
        while self._goes_on(loop):
            self._depths[program.name] = max(self._depths[program.name] - 1, 0)
            path = loop.paths[0]
            if len(loop.paths) > 1:
                self._at(loop.state)
                path = loop.paths[self._chosen(loop) - 1]
            self._enter(program.name)
            left = holder[0]
            holder[0] = Tree(path.name, left.start, {"left": left})
            yield from self._steps(path, holder)
            self._at(loop.back)

    def _begins(self, path: Path) -> bool:
        return self._stream.kind(0) in self._states.following[path.state]

    def _goes_on(self, loop: Fork) -> bool:
        """True if the next tokens begin another iteration of the loop."""
        if not loop.predicted:
            return self._begins(loop.paths[0])
        return self._predicted(loop.back if loop.repeat == "+" else loop.entry) == 1

    def _chosen(self, fork: Fork) -> int:
        """Return the number of the alternative of `fork` that the next tokens match, counted from 1.

        Raises NoViableAlternative if they match none.
        """
        if fork.predicted:
            return self._predicted(fork.state)
        for number, path in enumerate(fork.paths, 1):
            if self._begins(path):
                return number
        raise NoViableAlternative(self._stream.index, self._stream.index)

    def _predicted(self, decision: int) -> int:
        precedence = self._precedences[-1] if self._precedences else 0
        return self._predictor.predict(decision, self._stream, self._follows, precedence)

    # The following methods report syntax errors and recover from them.

    def _matched(self, step: Match) -> Token:
        """Consume a token that the step accepts, and return it.

        If only one token is superfluous or missing, the parser recovers; otherwise _Mismatch is raised.
        """
        token = self._stream.token()
        if token.kind not in step.kinds:
            return self._recovered_inline()
        self._end_recovery()
        self._stream.consume()
        return token

    def _at(self, state: int) -> None:
        """Make `state` the parser's current state, and check that it allows the next token, as ANTLR does.

        If it does not, an error is reported and tokens are skipped until one is allowed. Raises _Mismatch if that is
        impossible.
        """
        self._state = state
        if self._recovering:
            return
        expected = self._states.following[state]
        if END in expected or self._stream.kind(0) in expected:
            return
        if state in self._states.backs:
            self._report_unwanted()
            self._skip_until(self._expected() | self._recovery_set())
        elif not self._delete_one():
            raise _Mismatch

    def _recovered_inline(self) -> Token:
        self._count_recovery()
        if self._delete_one():
            token = self._stream.token()
            self._stream.consume()
            return token
        (edge,) = self._states.edges[self._state]
        if self._stream.kind(0) in self._expected(edge.target):
            self._report_missing()
            return self._missing_token()
        raise _Mismatch

    def _delete_one(self) -> bool:
        """Skip the current token if the token after it is expected. Return True if the token was skipped."""
        if self._stream.kind(1) not in self._expected():
            return False
        self._report_unwanted()
        self._stream.consume()
        self._end_recovery()
        return True

    def _missing_token(self) -> Token:
        """Return a placeholder for a missing token, of the first expected kind, such as ``<missing ')'>``."""
        kind = min(self._expected(), key=_RANK.__getitem__)
        token = self._stream.token()
        previous = self._stream.previous()
        near = previous if token.kind == EOF and previous is not None else token
        name = "undefined" if kind in _NAMED else "EOF" if kind == EOF else _SHOWN[kind]
        return Token(kind, near.start, f"<missing {name}>")

    def _recover(self) -> None:
        """Skip tokens up to one with which a grammar rule that is being parsed can continue."""
        self._count_recovery()
        skipped = 0
        if self._last_index == self._stream.index and self._state in self._last_states:
            self._stream.consume()
            skipped = 1
        self._last_index = self._stream.index
        self._last_states.add(self._state)
        self._skip_until(self._recovery_set(), _MOST_SKIPPED - skipped)

    def _count_recovery(self) -> None:
        if self._recoveries == _MOST_RECOVERIES:
            message = f"error recovery attempt limit exceeded: {_MOST_RECOVERIES}"
            self.report(self._stream.token().start, message)
            raise Abandoned
        self._recoveries += 1

    def _skip_until(self, kinds: frozenset[str], most: int | None = None) -> None:
        while (kind := self._stream.kind(0)) != EOF and kind not in kinds:
            if most is not None:
                if most == 0:
                    self._abandon(f"error recovery token lookahead limit exceeded: {_MOST_SKIPPED}")
                most -= 1
            self._stream.consume()

    def _end_recovery(self) -> None:
        self._recovering = False
        self._last_index = -1
        self._last_states.clear()

    def _recovery_set(self) -> frozenset[str]:
        return frozenset().union(*(self._states.following[follow] for follow in self._follows)) - {END}

    def _expected(self, state: int | None = None) -> frozenset[str]:
        """Return the kinds of tokens that the parser allows in `state`, or in its current state if `state` is None."""
        following = self._states.following
        kinds = following[self._state if state is None else state]
        for follow in reversed(self._follows):
            if END not in kinds:
                return kinds
            kinds = (kinds - {END}) | following[follow]
        return kinds - {END} | {EOF} if END in kinds else kinds

    def _report_error(self, error: "_Mismatch | NoViableAlternative") -> None:
        if self._recovering:
            return
        self._recovering = True
        token = self._stream.token()
        if isinstance(error, _Mismatch):
            self.report(token.start, f"mismatched input {_shown(token)} expecting {_listed(self._expected())}")
            return
        first, offending = (self._stream.token(index - self._stream.index) for index in (error.start, error.offending))
        text = EOF if first.kind == EOF else self._stream.text(error.start, error.offending)
        message = f"no viable alternative at input {_quoted(text)}"
        # cel-go replaces the error message if a reserved word such as `true` is used as a field name.
        self.report(offending.start, _reserved.sub(r"mismatched input '\1' expecting IDENTIFIER", message))

    def _report_unwanted(self) -> None:
        if not self._recovering:
            self._recovering = True
            token = self._stream.token()
            self.report(token.start, f"extraneous input {_shown(token)} expecting {_listed(self._expected())}")

    def _report_missing(self) -> None:
        if not self._recovering:
            self._recovering = True
            token = self._stream.token()
            self.report(token.start, f"missing {_listed(self._expected())} at {_shown(token)}")


def _shown(token: Token) -> str:
    return _quoted(token.text or token.kind)


def _quoted(text: str) -> str:
    escaped = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def _listed(kinds: Iterable[str]) -> str:
    names = [_SHOWN[kind] for kind in sorted(kinds, key=_RANK.__getitem__)]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
