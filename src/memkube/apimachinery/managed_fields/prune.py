"""What an applier no longer applies is removed, unless somebody else owns it.

Source: structured-merge-diff's ``merge.Updater.prune``.
"""

from memkube.apimachinery.managed_fields.field_set import FieldSet, difference, intersection, union
from memkube.apimachinery.managed_fields.mentioned import mentioned, with_named_fields
from memkube.apimachinery.managed_fields.merge import without_items
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema


def pruned(schema: Schema, document: Document, applied_before: FieldSet, owned: FieldSet) -> Document:
    """The object without what was applied before and is owned by nobody now, the present appliers included."""
    before, claimed = with_named_fields(schema, applied_before), with_named_fields(schema, owned)
    if not difference(before, claimed):
        return document
    present = _present(schema, document)
    rest = without_items(schema, document, before)
    rest = without_items(schema, document, difference(present, union(_present(schema, rest), claimed)))
    given_up = intersection(difference(present, _present(schema, rest)), before)
    result: Document = without_items(schema, document, given_up)
    return result


def _present(schema: Schema, document: Document) -> FieldSet:
    return with_named_fields(schema, mentioned(schema, document))
