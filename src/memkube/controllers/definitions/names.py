"""Names of CustomResourceDefinitions, and conflicts between them (``pkg/controller/status/naming_controller.go``)."""

from collections.abc import Iterable
from typing import NamedTuple

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.shown_values import quoted
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceDefinition,
    CustomResourceDefinitionCondition,
    CustomResourceDefinitionNames,
)


class Naming(NamedTuple):
    """The accepted names of a CustomResourceDefinition, and its conditions about names."""

    names: CustomResourceDefinitionNames
    accepted: CustomResourceDefinitionCondition
    established: CustomResourceDefinitionCondition


def name_definition(definition: CustomResourceDefinition, others: Iterable[CustomResourceDefinition]) -> Naming:
    """Decide which names of a CustomResourceDefinition are accepted.

    `others` are all definitions of its group, including the definition itself.
    """
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        taken = other.status.acceptedNames
        resources |= {taken.plural, taken.singular, *taken.shortNames}
        kinds |= {taken.kind, taken.listKind}
    wanted, held = definition.spec.names, definition.status.acceptedNames
    names = held.model_copy()
    accepted = CustomResourceDefinitionCondition(
        type="NamesAccepted", status="True", reason="NoConflicts", message="no conflicts found"
    )

    def refuse(reason: str, message: str) -> None:
        accepted.status, accepted.reason, accepted.message = "False", reason, message

    for field, taken_names, reason in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        asked, owned = getattr(wanted, field), getattr(held, field)
        if asked == owned:
            continue
        new = [name for name in asked if name not in owned] if isinstance(asked, list) else [asked]
        conflicts = [f"{quoted(name)} is already in use" for name in new if name in taken_names]
        if conflicts:
            refuse(reason, aggregate_message(conflicts))
        else:
            setattr(names, field, asked)
    names.categories = wanted.categories
    return Naming(names, accepted, _established(definition, accepted))


def _established(
    definition: CustomResourceDefinition, accepted: CustomResourceDefinitionCondition
) -> CustomResourceDefinitionCondition:
    old = next((c for c in definition.status.conditions if c.type == "Established"), None)
    if accepted.status == "True" and (old is None or old.status != "True"):
        return CustomResourceDefinitionCondition(
            type="Established", status="False", reason="Installing", message="the initial names have been accepted"
        )
    return old or CustomResourceDefinitionCondition(
        type="Established", status="False", reason="NotAccepted", message="not all names are accepted"
    )
