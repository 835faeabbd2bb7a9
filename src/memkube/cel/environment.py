"""Environments, and what becomes of an expression in one (apiserver ``pkg/cel/environment`` and ``plugin/cel``)."""

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
from memkube.cel.parser import Rejected, parse
from memkube.cel.syntax import Ast
from memkube.cel.types import Type


@dataclass(frozen=True, slots=True)
class CompileError:
    """Why an expression cannot be used, in the reference's words."""

    detail: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """A checked expression: its tree, the type of each node by id, what calls were found to be, and its own type."""

    ast: Ast
    types: Mapping[int, Type]
    resolved: Mapping[int, Resolved]
    result: Type

    def cost(self, size_of: SizeOf) -> Range:
        """The least and the most that evaluating it costs, where `size_of` knows how large variables are."""
        return estimated_cost(self.ast, self.types, self.resolved, size_of)


@dataclass(frozen=True, slots=True)
class Environment:
    """What expressions of one sort may say; with `bindings`, ``cel.bind`` is among it."""

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
        """With more variables, types of objects and functions."""
        functions = read_functions(library) if library else None
        more = self.declarations.extended(names, objects, functions=functions, find_object=find_object)
        return Environment(more, self.bindings)

    def compile(self, expression: str) -> Compiled | CompileError:
        """The expression with its types, or all that is wrong with it. Raises ApiError (501) where no parser is."""
        source = Source(expression)
        try:
            ast = parse(source, bindings=self.bindings)
            checker = Checker(ast, source, self.declarations)
        except Rejected as rejected:
            return _failed(source, rejected.issues)
        issues = checker.issues or literal_issues(ast, source, checker.types)
        if issues:
            return _failed(source, issues)
        return Compiled(ast, checker.types, checker.resolved, checker.types[ast.root.id])


def _failed(source: Source, issues: list[Issue]) -> CompileError:
    return CompileError(f"compilation failed: {source.drawn(issues)}")


@cache
def base_environment(*, bindings: bool = False) -> Environment:
    """What every expression may say: the functions of CEL and of the reference, and no variables."""
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
    """The expression, if it has one of these types."""
    compiled = environment.compile(expression)
    if isinstance(compiled, CompileError) or compiled.result in results:
        return compiled
    if len(results) == 1:
        return CompileError(f"must evaluate to {results[0]} but got {compiled.result}")
    return CompileError(f"must evaluate to one of [{' '.join(map(str, results))}] but got {compiled.result}")
