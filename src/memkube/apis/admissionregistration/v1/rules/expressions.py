"""CEL expressions of admission webhooks and policies: available variables and allowed result types.

Sources: apiserver ``pkg/admission/plugin/cel/compile.go`` and ``composition.go``, ``pkg/cel/mutation``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, internal_error, invalid
from memkube.apis.admissionregistration.v1.rules.patch_values import constructed
from memkube.cel.declarations import Fields, ObjectType
from memkube.cel.environment import Compiled, CompileError, Environment, base_environment, compile_to
from memkube.cel.errors import InstantiationError
from memkube.cel.libraries.kubernetes import JSON_PATCHES
from memkube.cel.program import Program
from memkube.cel.types import (
    BOOL,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UNSPECIFIED,
    Type,
    list_of,
    map_of,
    struct,
)

_STRINGS: Final = list_of(STRING)
_GROUP_VERSION: Final = {"group": STRING, "version": STRING}
_KIND: Final = Fields("kubernetes.GroupVersionKind", {**_GROUP_VERSION, "kind": STRING})
_RESOURCE: Final = Fields("kubernetes.GroupVersionResource", {**_GROUP_VERSION, "resource": STRING})
_USER: Final = Fields(
    "kubernetes.UserInfo",
    {"username": STRING, "uid": STRING, "groups": _STRINGS, "extra": map_of(STRING, _STRINGS)},
)
_REQUEST: Final = Fields(
    "kubernetes.AdmissionRequest",
    {
        "kind": _KIND.type,
        "resource": _RESOURCE.type,
        "subResource": STRING,
        "requestKind": _KIND.type,
        "requestResource": _RESOURCE.type,
        "requestSubResource": STRING,
        "name": STRING,
        "namespace": STRING,
        "operation": STRING,
        "userInfo": _USER.type,
        "dryRun": BOOL,
        "options": DYN,
    },
)
_CONDITION: Final = Fields(
    "kubernetes.NamespaceCondition",
    {"status": STRING, "type": STRING, "lastTransitionTime": TIMESTAMP, "message": STRING, "reason": STRING},
)
_NAMESPACE_METADATA: Final = Fields(
    "kubernetes.NamespaceMetadata",
    {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "labels": map_of(STRING, STRING),
        "annotations": map_of(STRING, STRING),
        "UID": STRING,
        "creationTimestamp": TIMESTAMP,
        "deletionGracePeriodSeconds": INT,
        "deletionTimestamp": TIMESTAMP,
        "generation": INT,
        "resourceVersion": STRING,
        "finalizers": _STRINGS,
    },
)
_NAMESPACE_SPEC: Final = Fields("kubernetes.NamespaceSpec", {"finalizers": _STRINGS})
_NAMESPACE_STATUS: Final = Fields(
    "kubernetes.NamespaceStatus", {"conditions": list_of(_CONDITION.type), "phase": STRING}
)
_NAMESPACE: Final = Fields(
    "kubernetes.Namespace",
    {"metadata": _NAMESPACE_METADATA.type, "spec": _NAMESPACE_SPEC.type, "status": _NAMESPACE_STATUS.type},
)
_OBJECTS: Final = (
    _KIND,
    _RESOURCE,
    _USER,
    _REQUEST,
    _CONDITION,
    _NAMESPACE_METADATA,
    _NAMESPACE_SPEC,
    _NAMESPACE_STATUS,
    _NAMESPACE,
)
_AUTHORIZER_TYPES: Final = {
    "authorizer": struct("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": struct("kubernetes.authorization.ResourceCheck"),
}
_VARIABLES: Final = "kubernetes.variables"
_OBJECT: Final = "Object"
_SCALARS: Final = frozenset(
    {"any", "bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"}
)

CONDITION: Final = (BOOL,)
MESSAGE: Final = (STRING,)
ANNOTATION: Final = (STRING, NULL)
APPLY_CONFIGURATION: Final = (struct(_OBJECT),)
JSON_PATCH: Final = (list_of(struct("JSONPatch")),)


@dataclass(frozen=True, slots=True)
class _AnyFields:
    """CEL type of an object in an apply configuration, which accepts any field of any type."""

    name: str

    def field(self, name: str) -> Type | None:
        return DYN


@dataclass(frozen=True, slots=True)
class _JsonPatch:
    """CEL type of a JSON patch operation.

    As in kube-apiserver, an unknown field is not reported as undefined. It has the type UNSPECIFIED, so that an
    expression can only set it to a value of type dyn; this fails when the expression is evaluated.
    """

    name: str = "JSONPatch"

    def field(self, name: str) -> Type | None:
        if name == "value":
            return DYN
        return STRING if name in ("op", "path", "from") else UNSPECIFIED


def _find_patch_type(name: str) -> ObjectType | None:
    if name == "JSONPatch":
        return _JsonPatch()
    return _AnyFields(name) if name == _OBJECT or name.startswith(f"{_OBJECT}.") else None


@cache
def _environment(*, params: bool, authorizer: bool, patches: bool) -> Environment:
    names: dict[str, Type] = {
        "object": DYN,
        "oldObject": DYN,
        "namespaceObject": _NAMESPACE.type,
        "request": _REQUEST.type,
    }
    if params:
        names["params"] = DYN
    if authorizer:
        names |= _AUTHORIZER_TYPES
    environment = base_environment().extended(names, _OBJECTS)
    return environment.extended({}, library=JSON_PATCHES, find_object=_find_patch_type) if patches else environment


def typed_environment(
    objects: Type, params: Type | None, find_object: Callable[[str], ObjectType | None]
) -> Environment:
    """Return the CEL environment for type checking a policy's expressions.

    It declares the types of the admitted objects and of the parameters; `params` is None if the policy has no
    parameters. `find_object` gets the name of an object type and returns the type; None if there is no such type.
    """
    names: dict[str, Type] = {
        "object": objects,
        "oldObject": objects,
        "namespaceObject": _NAMESPACE.type,
        "request": _REQUEST.type,
        "authorizer": _AUTHORIZER_TYPES["authorizer"],
    }
    if params is not None:
        names["params"] = params
    return base_environment().extended(names, _OBJECTS, find_object=find_object)


@dataclass(slots=True)
class Expressions:
    """Compiler for the CEL expressions of one webhook or policy.

    If `params` is True, expressions can use the CEL variable ``params``. `variables` has the types of the policy's own
    variables, which expressions can use as ``variables.NAME``; the methods `add_variable`, `variable` and `declare` add
    variables to it. It is None if expressions cannot use such variables, for example in a webhook.
    """

    params: bool = False
    variables: dict[str, Type] | None = field(default=None)
    typed: Environment | None = None
    """CEL environment with the types of the admitted objects; replaces the untyped environment if it is not None."""

    def add_variable(self, name: str, expression: str, path: FieldPath) -> list[FieldError]:
        """Declare a variable of the policy and return the errors of its expression.

        Later expressions can use the variable even if its expression has errors.
        """
        program = self.variable(name, expression)
        return _errors(program, path, expression)

    def variable(self, name: str, expression: str) -> Program | CompileError:
        """Compile the expression of a policy's variable, and return the program or the error.

        Later expressions can use the variable as ``variables.NAME``, even if its own expression has errors.
        """
        return _program(self.declare(name, expression))

    def declare(self, name: str, expression: str) -> Compiled | CompileError:
        """Type-check the expression of a policy's variable, and return it in compiled form, or the error.

        Later expressions can use the variable as ``variables.NAME``, even if its own expression has errors.
        """
        compiled = self._environment().compile(expression)
        assert self.variables is not None
        self.variables[name] = DYN if isinstance(compiled, CompileError) else _kept(compiled.result)
        return compiled

    def validate(
        self,
        expression: str,
        path: FieldPath,
        results: tuple[Type, ...],
        *,
        authorizer: bool = True,
        patches: bool = False,
        shown: str | None = None,
    ) -> list[FieldError]:
        """Validate that an expression compiles and returns one of the types in `results`.

        If `authorizer` is True, the expression can use the variable ``authorizer``; if `patches` is True, it can
        construct JSON patch operations. The errors print the expression as the invalid value, or `shown` instead if
        that is not None.
        """
        program = self.program(expression, results, authorizer=authorizer, patches=patches)
        return _errors(program, path, expression if shown is None else shown)

    def compile_error(self, expression: str) -> str:
        """Return the compiler's message about type errors in the expression; empty if there are none."""
        compiled = self._environment().compile(expression)
        return compiled.detail.removeprefix("compilation failed: ") if isinstance(compiled, CompileError) else ""

    def program(
        self, expression: str, results: tuple[Type, ...], *, authorizer: bool = True, patches: bool = False
    ) -> Program | CompileError:
        """Compile an expression that must return one of the types in `results`.

        If `authorizer` is True, the expression can use the variable ``authorizer``; if `patches` is True, it can
        construct JSON patch operations. Returns a CompileError if the expression is invalid.
        """
        environment = self._environment(authorizer=authorizer, patches=patches)
        return _program(compile_to(environment, expression, *results))

    def _environment(self, *, authorizer: bool = True, patches: bool = False) -> Environment:
        environment = self.typed or _environment(params=self.params, authorizer=authorizer, patches=patches)
        if self.variables is None:
            return environment
        known: Mapping[str, Type] = self.variables
        return environment.extended({"variables": struct(_VARIABLES)}, [Fields(_VARIABLES, known)])


def _program(compiled: Compiled | CompileError) -> Program | CompileError:
    if isinstance(compiled, CompileError):
        return compiled
    try:
        return Program(compiled, construct=constructed)
    except InstantiationError as error:
        return CompileError(f"program instantiation failed: {error}", is_internal=True)


def _errors(program: Program | CompileError, path: FieldPath, shown: str) -> list[FieldError]:
    """Return the error in the field `path` if the expression does not compile; `shown` is the invalid value."""
    if not isinstance(program, CompileError):
        return []
    return [internal_error(path, program.detail) if program.is_internal else invalid(path, shown, program.detail)]


def _kept(result: Type) -> Type:
    """Return the CEL type of a policy's variable whose expression has the type `result`.

    As in kube-apiserver, scalars, lists and maps keep their type; objects, optionals and all other types become dyn.
    """
    if result.kind in ("list", "map"):
        return Type(result.kind, result.name, tuple(map(_kept, result.parameters)))
    return result if result.kind in _SCALARS else DYN
