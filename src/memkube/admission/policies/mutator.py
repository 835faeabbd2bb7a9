"""Compiles and evaluates the mutations of one MutatingAdmissionPolicy: apply configurations and JSON patches.

Source: apiserver ``admission/plugin/policy/mutating/patch``.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from memkube.admission.expressions.evaluation import (
    OUT_OF_BUDGET,
    POLICY_COST_LIMIT,
    Evaluation,
    Expression,
    Inputs,
    compiled_variables,
    has_loops,
)
from memkube.admission.expressions.match_conditions import MatchConditions
from memkube.admission.policies.values import as_applied, as_json
from memkube.apimachinery.managed_fields.merge import merged
from memkube.apimachinery.managed_fields.shapes import MissingKeysError, child_schema, is_atomic, violations
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches import NotApplied, TestFailed, apply_operations
from memkube.apimachinery.schema import ListSchema, Scalar, Schema
from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types import MutatingAdmissionPolicy, Mutation
from memkube.apis.admissionregistration.v1.rules.expressions import APPLY_CONFIGURATION, JSON_PATCH, Expressions
from memkube.apis.admissionregistration.v1.rules.patch_values import ObjectValue, PatchOperation
from memkube.cel.errors import BudgetExhausted, EvaluationError
from memkube.cel.program import Budget
from memkube.cel.syntax import Unsigned
from memkube.cel.values import Value

_ATOMIC: Final = "may not mutate atomic arrays, maps or structs"


class MutationFailed(Exception):
    """Raised with kube-apiserver's message if a mutation of a policy fails."""


class Mutator:
    """Compiles the expressions of one MutatingAdmissionPolicy, and evaluates them for requests."""

    def __init__(self, policy: MutatingAdmissionPolicy) -> None:
        spec = policy.spec
        known = Expressions(spec.paramKind is not None, {})
        self._variables = compiled_variables(known, {one.name: one.expression for one in spec.variables})
        self.conditions = MatchConditions(spec.matchConditions, spec.failurePolicy, known, self._variables)
        self.mutations = [_Mutation(mutation, known) for mutation in spec.mutations]
        self.has_loops = has_loops(
            *(one.expression for one in spec.variables),
            *(one.expression for one in spec.matchConditions),
            *(one.expression.text for one in self.mutations),
        )
        self.reinvocable = spec.reinvocationPolicy == "IfNeeded"

    def mutated(self, mutation: "_Mutation", inputs: Inputs, schema: Schema) -> tuple[Document, bool]:
        """Return the request's object with one mutation applied, and True if the mutation is a JSON patch.

        `inputs` has the values of the CEL variables. `schema` is the schema of the object, which server-side apply
        needs. Raises MutationFailed if the mutation fails.
        """
        evaluation = Evaluation(inputs, self._variables, Budget(POLICY_COST_LIMIT))
        if mutation.expression.error:
            raise MutationFailed(mutation.expression.error)
        try:
            outcome = evaluation.evaluate(mutation.expression)
        except BudgetExhausted:
            raise MutationFailed(OUT_OF_BUDGET) from None
        if outcome.error:
            raise MutationFailed(outcome.error)
        before = inputs.new
        assert before is not None
        if mutation.is_json_patch:
            return _patched(before, outcome.value), True
        return _applied(before, outcome.value, schema), False


class _Mutation:
    """One item of a policy's ``spec.mutations``, with its expression compiled."""

    def __init__(self, mutation: Mutation, known: Expressions) -> None:
        self.is_json_patch = mutation.patchType == "JSONPatch"
        change = mutation.jsonPatch if self.is_json_patch else mutation.applyConfiguration
        results = JSON_PATCH if self.is_json_patch else APPLY_CONFIGURATION
        self.expression = Expression.compiled(known, change.expression if change else "", results, patches=True)


def _patched(before: Document, value: Value) -> Document:
    """Return the object `before` with the JSON patch `value` applied; unchanged if a ``test`` operation fails."""
    if not isinstance(value, list):
        raise MutationFailed("type mismatch: JSONPatchType.expression should evaluate to array")
    try:
        return apply_operations(before, [_operation(one) for one in value])
    except TestFailed:
        return before
    except NotApplied as error:
        raise MutationFailed(f"JSON Patch: {error}") from None


def _operation(value: Value) -> Document:
    if not isinstance(value, PatchOperation):
        raise MutationFailed("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch")
    operation: Document = {"op": value.op, "path": value.path}
    if value.source:
        operation["from"] = value.source
    for given in value.value:
        _check_names(given)
        try:
            operation["value"] = as_json(given)
        except EvaluationError as error:
            why = "JSONPath valueExpression evaluated to a type that could not marshal to JSON"
            raise MutationFailed(f"{why}: {error}") from None
    return operation


def _check_names(value: Value) -> None:
    """Raise MutationFailed if the type of an object literal, such as ``Object.spec``, is not that of its field."""
    if isinstance(value, ObjectValue) and (errors := value.misplaced()):
        raise MutationFailed("type mismatch: " + "\n".join(errors))


def _applied(before: Document, value: Value, schema: Schema) -> Document:
    """Return the object `before` with the apply configuration `value` merged into it, without new managedFields."""
    if not isinstance(value, ObjectValue):
        raise MutationFailed("unsupported return type from ApplyConfiguration expression")
    _check_names(value)
    try:
        fields: Any = as_applied(value)
    except EvaluationError:
        raise MutationFailed("invalid return type: *dynamic.ObjectVal") from None
    applied: Document = {**fields, "apiVersion": before["apiVersion"], "kind": before["kind"]}
    if problems := violations(schema, applied) or "".join(islice(_null_and_unsigned_errors(schema, applied, ""), 1)):
        raise MutationFailed(f"error applying patch: failed to convert patch object to typed object: {problems}")
    if atomic := list(_atomic(schema, applied, "")):
        raise MutationFailed(f"error applying patch: invalid ApplyConfiguration: {_ATOMIC}: {', '.join(atomic)}")
    try:
        result: Document = merged(schema, before, applied)
    except MissingKeysError as error:
        raise MutationFailed(
            f"error applying patch: failed to convert original object to typed object: {error}"
        ) from None
    return result


def _null_and_unsigned_errors(schema: Schema, value: Any, path: str) -> Iterator[str]:
    """Yield an error for each field of an apply configuration that is null or a CEL uint: neither is allowed."""
    if isinstance(value, dict):
        for key, item in value.items():
            below = child_schema(schema, key)
            if below is not None:
                yield from _null_and_unsigned_errors(below, item, f"{path}.{key}")
    elif isinstance(value, list) and isinstance(schema, ListSchema):
        for index, item in enumerate(value):
            yield from _null_and_unsigned_errors(schema.items, item, f"{path}[{index}]")
    elif value is None or isinstance(value, Unsigned):
        yield f"{path}: {_type_mismatch(schema, value)}"


def _type_mismatch(schema: Schema, value: Unsigned | None) -> str:
    kind, shown, written = ("structpb.NullValue", "NULL_VALUE", "0")
    if value is not None:
        kind, shown, written = ("uint64", str(int(value)), hex(value))
    if not isinstance(schema, Scalar):
        return f"expected {'list' if isinstance(schema, ListSchema) else 'map'}, got &{{{shown}}}"
    match schema.type:
        case "int32" | "int64" | "float64":
            return f"expected numeric (int or float), got {kind}"
        case "bool":
            return f"expected boolean, got &{{{shown}}}"
        case "quantity" | "time" | "microtime" | "int-or-string":
            return f"expected any scalar, got &{{{shown}}}"
    return f"expected string, got &value.valueUnstructured{{Value:{written}}}"


def _atomic(schema: Schema, value: Any, path: str) -> Iterator[str]:
    """Yield the paths of atomic lists and maps in an apply configuration, which must not contain them."""
    if isinstance(value, dict):
        if is_atomic(schema, value):
            yield path
        for key, item in value.items():
            below = child_schema(schema, key)
            if below is not None:
                yield from _atomic(below, item, f"{path}.{key}")
    elif isinstance(value, list) and isinstance(schema, ListSchema):
        if schema.relationship == "atomic":
            yield path
        for index, item in enumerate(value):
            yield from _atomic(schema.items, item, f"{path}[{index}]")
