"""Renders templates in the language of Go's ``text/template`` over JSON data.

Supported are text, comments, trim markers, pipelines, variables, ``if``, ``with``, ``range``, ``break``, ``continue``,
named templates, and the functions that are passed to a template. A template with other syntax or functions is refused
when it is compiled. Methods of values are not supported: a template that calls one fails when it is rendered. The
numbers of steps and of rendered characters, and the sizes of the functions' results, are limited, so that rendering
cannot block the server's event loop.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from memkube.controllers.stages.languages.template_arguments import TemplateFunction, checked_result
from memkube.controllers.stages.languages.template_syntax import (
    Branch,
    Chain,
    Constant,
    Dot,
    Function,
    Insertion,
    Jump,
    Node,
    Operand,
    Pipe,
    Text,
    Variable,
    parse_template,
)
from memkube.controllers.stages.languages.template_values import TemplateError, is_true, kind, shown

Functions: TypeAlias = Mapping[str, TemplateFunction]

_MOST_STEPS: Final = 100_000
_LONGEST: Final = 4_000_000
_DEEPEST: Final = 40
_MISSING: Final = object()
"""Marker for "no value": passed to the first command of a pipeline, which has no previous command."""


class Template:
    """A compiled template in the language of Go's ``text/template``, which renders JSON data."""

    def __init__(self, text: str, functions: Functions) -> None:
        """Compile the template `text`, which may call the functions in `functions`, by name.

        Raises ValueError with a message of one line if it is malformed or uses an unsupported feature.
        """
        self._parsed = parse_template(text, {*functions, "and", "or"})

    def render(self, data: Any, functions: Functions) -> str:
        """Render the template with `data` as the value of ``.``. Raises TemplateError if that fails.

        `functions` has the implementation of each function that the template calls, by name.
        """
        run = _Run(data, functions, self._parsed.named)
        run.nodes(self._parsed.nodes, data)
        return "".join(run.written)


class _Jumped(Exception):
    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class _Run:
    """State while a template is rendered: its variables, and the text that was rendered so far."""

    def __init__(self, data: Any, functions: Functions, named: Mapping[str, Sequence[Node]]) -> None:
        self._functions = functions
        self._named = named
        self._depth = 0
        self._variables: list[tuple[str, Any]] = [("$", data)]
        self._steps = 0
        self._length = 0
        self.written: list[str] = []

    def nodes(self, nodes: Sequence[Node], dot: Any) -> None:
        for node in nodes:
            self._step()
            if isinstance(node, Text):
                self._write(node.text)
            elif isinstance(node, Pipe):
                value = self._pipe(node, dot)
                if not node.variables:
                    self._write(shown(value))
            elif isinstance(node, Branch):
                self._branch(node, dot)
            elif isinstance(node, Jump):
                raise _Jumped(node.word)
            elif isinstance(node, Insertion):
                self._insert(node, dot)

    def _insert(self, node: Insertion, dot: Any) -> None:
        """Render a named template with the value of its pipeline, or nil, as ``.`` and ``$``."""
        if node.name not in self._named:
            raise TemplateError(f'template "{node.name}" not defined')
        if self._depth == _DEEPEST:
            raise TemplateError(f"exceeded maximum template depth ({_DEEPEST})")
        outside, data = self._variables, None if node.pipe is None else self._pipe(node.pipe, dot)
        self._variables, self._depth = [("$", data)], self._depth + 1
        self.nodes(self._named[node.name], data)
        self._variables, self._depth = outside, self._depth - 1

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TemplateError(f"the template takes more than {_MOST_STEPS} steps")

    def _write(self, text: str) -> None:
        self._length += len(text)
        if self._length > _LONGEST:
            raise TemplateError(f"the rendered text has more than {_LONGEST} characters")
        self.written.append(text)

    def _branch(self, node: Branch, dot: Any) -> None:
        known = len(self._variables)
        try:
            if node.word == "range":
                self._range(node, dot)
                return
            value = self._pipe(node.pipe, dot)
            if is_true(value):
                self.nodes(node.body, value if node.word == "with" else dot)
            else:
                self.nodes(node.otherwise, dot)
        finally:
            del self._variables[known:]

    def _range(self, node: Branch, dot: Any) -> None:
        value = self._pipe(node.pipe, dot, assigns=False)
        if len(node.pipe.variables) > 1 and isinstance(value, int):
            raise TemplateError(f"can't use {value} to iterate over more than one variable")
        items = list(_ranged(value))
        if not items:
            self.nodes(node.otherwise, dot)
            return
        known, names = len(self._variables), node.pipe.variables
        for key, each in items:
            self._step()
            for name, assigned in zip(names, (key, each) if len(names) > 1 else (each,), strict=False):
                self._set(name, assigned, is_declared=node.pipe.is_declared)
            try:
                self.nodes(node.body, each)
            except _Jumped as jump:
                if jump.word == "break":
                    return
            finally:
                del self._variables[known:]

    def _set(self, name: str, value: Any, *, is_declared: bool) -> None:
        if is_declared:
            self._variables.append((name, value))
            return
        for index in range(len(self._variables) - 1, -1, -1):
            if self._variables[index][0] == name:
                self._variables[index] = name, value
                return

    def _pipe(self, pipe: Pipe, dot: Any, *, assigns: bool = True) -> Any:
        value: Any = _MISSING
        for command in pipe.commands:
            value = self._command(command, dot, value)
        for name in pipe.variables if assigns else ():
            self._set(name, value, is_declared=pipe.is_declared)
        return value

    def _command(self, command: Sequence[Operand], dot: Any, final: Any) -> Any:
        first, *rest = command
        if isinstance(first, Function):
            return self._call(first.name, rest, dot, final)
        if rest or final is not _MISSING:
            raise TemplateError("can't give argument to non-function")
        if isinstance(first, Constant) and first.value is None:
            raise TemplateError("nil is not a command")
        return self._operand(first, dot)

    def _operand(self, operand: Operand, dot: Any) -> Any:
        self._step()
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, Dot):
            return _fields(dot, operand.fields)
        if isinstance(operand, Variable):
            return _fields(self._value_of(operand.name), operand.fields)
        if isinstance(operand, Function):
            return self._call(operand.name, (), dot, _MISSING)
        if isinstance(operand, Chain):
            return _fields(self._pipe(operand.pipe, dot), operand.fields)
        return self._pipe(operand, dot)

    def _value_of(self, name: str) -> Any:
        return next(value for known, value in reversed(self._variables) if known == name)

    def _call(self, name: str, operands: Sequence[Operand], dot: Any, final: Any) -> Any:
        if name in ("and", "or"):
            return self._logical(name, operands, dot, final)
        arguments = [self._operand(operand, dot) for operand in operands]
        if final is not _MISSING:
            arguments.append(final)
        function = self._functions[name]
        if not function.least <= len(arguments) <= function.most:
            raise TemplateError(f"wrong number of args for {name}: got {len(arguments)}")
        try:
            return checked_result(function.call(*arguments))
        except TemplateError as error:
            raise TemplateError(f"error calling {name}: {error}") from None

    def _logical(self, name: str, operands: Sequence[Operand], dot: Any, final: Any) -> Any:
        """Return the first operand that is true (for ``or``) or false (for ``and``), or else the last operand.

        `dot` is the value of ``.``, and `final` the value that a pipeline passes as the last operand.
        """
        if not operands and final is _MISSING:
            raise TemplateError(f"wrong number of args for {name}: want at least 1 got 0")
        value = None
        for operand in operands:
            value = self._operand(operand, dot)
            if is_true(value) == (name == "or"):
                return value
        return value if final is _MISSING else final


def _fields(value: Any, names: Iterable[str]) -> Any:
    """Return the field to which `names` leads through nested objects, as ``.a.b`` does; None if it is missing.

    Raises TemplateError if a field on the way, such as ``.a``, has a value that is not an object, including null.
    """
    is_present = True
    for index, name in enumerate(names):
        if value is None:
            if index and is_present:
                raise TemplateError(f"nil pointer evaluating interface {{}}.{name}")
            return None
        if not isinstance(value, dict):
            raise TemplateError(f"can't evaluate field {name} in type {kind(value)}")
        is_present, value = name in value, value.get(name)
    return value


def _ranged(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of keys and values over which ``range`` iterates."""
    if value is None:
        return ()
    if isinstance(value, list):
        return enumerate(value)
    if isinstance(value, dict):
        return ((key, value[key]) for key in sorted(value))
    if isinstance(value, int) and not isinstance(value, bool):
        if value > _MOST_STEPS:
            raise TemplateError(f"the template takes more than {_MOST_STEPS} steps")
        return ((number, number) for number in range(value))
    raise TemplateError(f"range can't iterate over {shown(value)}")
