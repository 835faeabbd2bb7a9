"""Which stored objects a selection takes."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.options import Selection
from memkube.registry.resource import SelectableFields
from memkube.registry.stored import StoredObject

Matches: TypeAlias = Callable[[StoredObject], bool]


def matcher(selection: Selection, fields_of: SelectableFields) -> Matches | None:
    """Decides over one object; None where every object is selected."""
    labels, fields = selection.labels, selection.fields
    if labels is None:
        return None if fields is None else lambda stored: fields.matches(fields_of(stored.document))
    if fields is None:
        return lambda stored: labels.matches(stored.labels)
    return lambda stored: labels.matches(stored.labels) and fields.matches(fields_of(stored.document))
