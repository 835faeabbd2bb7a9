"""CEL environments, and compilation of expressions (apiserver ``pkg/cel/environment`` and ``plugin/cel``)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from memkube.cel.checker import Checker
from memkube.cel.costs.expressions import estimated_cost
from memkube.cel.costs.nodes import SizeOf
from memkube.cel.costs.ranges import Range
from memkube.cel.declarations import (
    TYPE_NAMES,
    Declarations,
    FindObject,
    ObjectType,
    Resolved,
    Signatures,
    read_functions,
)
from memkube.cel.issues import Issue, Source
from memkube.cel.libraries import kubernetes, standard
from memkube.cel.literals import literal_issues
from memkube.cel.parser import ParseErrors, parse
from memkube.cel.syntax import Ast
from memkube.cel.types import Type


@dataclass(frozen=True, slots=True)
class CompileError:
    """Error message for an expression that does not compile, in Kubernetes' wording."""

    detail: str
    is_internal: bool = False
    """True if only the preparation of the program failed: kube-apiserver reports that as an internal error."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A parsed and type-checked expression.

    `types` has the type of each node of the syntax tree, and `resolved` the function or variable of each name, by node
    id. `result` is the type of the whole expression.
    """

    ast: Ast
    types: Mapping[int, Type]
    resolved: Mapping[int, Resolved]
    result: Type

    def cost(self, size_of: SizeOf) -> Range:
        """Return the estimated minimum and maximum cost of evaluating the expression.

        The function `size_of` gets the path of a value: the name of a variable, and then field names, or ``@items``,
        ``@keys`` or ``@values`` for elements. It returns the range of the value's size; None if it does not know the
        size.
        """
        return estimated_cost(self.ast, self.types, self.resolved, size_of)


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables, functions and types that a group of expressions can use, such as all rules of a schema.

    `bindings` is true if the expressions can use the macro ``cel.bind``.
    """

    declarations: Declarations
    bindings: bool = False

    def extended(
        self,
        names: Mapping[str, Type],
        objects: Iterable[ObjectType] = (),
        *,
        library: Signatures | None = None,
        find_object: FindObject | None = None,
    ) -> "Environment":
        """Return a copy of the environment with more variables, object types and functions.

        `names` has the types of the variables, and `library` the signatures of the functions. If no object type in
        `objects` has the name of a type, `find_object` gets the name; it returns the type, or None if there is no such
        type.
        """
        functions = read_functions(library) if library else None
        more = self.declarations.extended(names, objects, functions=functions, find_object=find_object)
        return Environment(more, self.bindings)

    def compile(self, expression: str) -> Compiled | CompileError:
        """Parse an expression and check its types. Returns a CompileError if the expression is invalid.

        Raises ApiError (501) if the expression is nested too deeply or too large.
        """
        source = Source(expression)
        try:
            ast = parse(source, bindings=self.bindings)
            checker = Checker(ast, source, self.declarations)
        except ParseErrors as rejected:
            return _failed(source, rejected.issues)
        issues = checker.issues or literal_issues(ast, source, checker.types)
        if issues:
            return _failed(source, issues)
        return Compiled(ast, checker.types, checker.resolved, checker.types[ast.root.id])


def _failed(source: Source, issues: list[Issue]) -> CompileError:
    return CompileError(f"compilation failed: {source.formatted(issues)}")


@cache
def base_environment(*, bindings: bool = False) -> Environment:
    """Return the environment common to all expressions: functions of CEL and Kubernetes, and no variables.

    `bindings` is true if the expressions can use the macro ``cel.bind``.
    """
    functions = read_functions(
        standard.OPERATORS,
        standard.FUNCTIONS,
        standard.OPTIONALS,
        standard.STRINGS,
        standard.SETS,
        standard.LISTS,
        standard.MAPS,
        kubernetes.URLS,
        kubernetes.REGEX,
        kubernetes.LISTS,
        kubernetes.AUTHORIZERS,
        kubernetes.QUANTITIES,
        kubernetes.IPS,
        kubernetes.CIDRS,
        kubernetes.FORMATS,
        kubernetes.SEMVERS,
    )
    return Environment(Declarations(functions, TYPE_NAMES), bindings)


def compile_to(environment: Environment, expression: str, *results: Type) -> Compiled | CompileError:
    """Compile an expression whose result must have one of the types in `results`.

    Return a CompileError if the expression is invalid, or if its result has another type.
    """
    compiled = environment.compile(expression)
    if isinstance(compiled, CompileError) or compiled.result in results:
        return compiled
    if len(results) == 1:
        return CompileError(f"must evaluate to {results[0]} but got {compiled.result}")
    return CompileError(f"must evaluate to one of [{' '.join(map(str, results))}] but got {compiled.result}")
