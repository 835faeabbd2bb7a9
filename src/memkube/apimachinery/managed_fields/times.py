"""Times in managedFields change only together with the object.

Source: apiserver's ``handlers/fieldmanager/equality.go``.
"""

from memkube.apimachinery.managed_fields.entries import managed_fields_of
from memkube.apimachinery.model import Document


def keep_times(live: Document, new: Document) -> Document:
    """The new object, with the stored managedFields if those of both differ in their times only, and nothing else."""
    stored, entries = managed_fields_of(live), managed_fields_of(new)
    if not entries or not stored or entries == stored or len(entries) != len(stored):
        return new
    if any(_untimed(one) != _untimed(other) for one, other in zip(stored, entries, strict=True)):
        return new
    kept = {**new, "metadata": {**new["metadata"], "managedFields": stored}}
    return kept if kept == live else new


def _untimed(entry: Document) -> Document:
    return {name: value for name, value in entry.items() if name != "time"}
