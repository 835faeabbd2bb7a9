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
    if labels is None and fields is None:
        return None
    if fields is None and labels is not None:
        return lambda stored: labels.matches(stored.labels)
    if labels is None and fields is not None:
        return lambda stored: fields.matches(fields_of(stored.document))
    assert labels is not None and fields is not None
    return lambda stored: labels.matches(stored.labels) and fields.matches(fields_of(stored.document))
