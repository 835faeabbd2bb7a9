"""CEL validation rules of custom objects (apiextensions ``registry/customresource/strategy.go``)."""

import asyncio
from typing import Final

from memkube.apimachinery.field_errors import FieldError, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural import StructuralSchema
from memkube.apimachinery.structural.correlation import Correlation
from memkube.apimachinery.structural.results import NO_FIELD
from memkube.cel.rules.nodes import RuleNode, rule_node
from memkube.cel.rules.validator import OBJECT_BUDGET, Outcome, validate_rules
from memkube.registry.declarations.request_options import WriteContext

_BLOCKING: Final = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_AT_ONCE: Final = 10_000
"""Maximum CEL cost of rules that are evaluated on the event loop (some milliseconds).

An evaluation that exceeds this cost is repeated in a thread.
"""


class CustomRules:
    """The CEL validation rules of one version of a custom kind, compiled before the first write.

    Expensive evaluations run in a thread, one at a time for each version.
    """

    def __init__(self, schema: StructuralSchema) -> None:
        self._schema = schema
        self._busy = asyncio.Lock()
        self._compiled = not schema.has_rules
        self._node: RuleNode | None = None

    async def check(
        self, document: Document, old: Document | None, errors: list[FieldError], context: WriteContext
    ) -> list[FieldError]:
        """Return `errors` and the errors of the CEL rules.

        If `errors` contains type errors, no rule is evaluated; the result then has an additional error that says so.

        In an update, `old` is the stored object. If a rule fails in a field that the update does not change, it adds a
        warning instead of an error (ratcheting). Raises ApiError 501 if an expression is too large or nested too
        deeply.
        """
        if not self._compiled:
            async with self._busy:
                self._node = await asyncio.to_thread(rule_node, self._schema.document, resource_root=True)
                self._compiled = True
        if self._node is None:
            return errors
        if any(error.type in _BLOCKING for error in errors):
            return [*errors, invalid(NO_FIELD, None, _NOT_CHECKED)]
        outcome = self._validate(self._node, document, old, _AT_ONCE)
        if outcome.exhausted:
            async with self._busy:
                outcome = await asyncio.to_thread(self._validate, self._node, document, old, OBJECT_BUDGET)
        for warning in outcome.warnings:
            context.warn(warning)
        return errors + outcome.errors

    def _validate(self, node: RuleNode, document: Document, old: Document | None, budget: int) -> Outcome:
        correlation = None if old is None else Correlation(self._schema.document, old, document)
        return validate_rules(node, document, old, correlation=correlation, budget=budget)
