"""Text differences between two revisions of an object, as changed lines of YAML."""

import difflib
from collections.abc import Sequence
from typing import Final

import orjson
import yaml

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject

_HIDDEN: Final = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp")


def differing_lines(old: StoredObject | None, new: StoredObject | None) -> Sequence[str]:
    """Return the changed lines of the object's YAML with context lines, without metadata that the server sets."""
    lines = list(difflib.unified_diff(_lines(old), _lines(new), lineterm="", n=2))[2:]
    return [line for line in lines if not line.startswith("@@")]


def _lines(stored: StoredObject | None) -> list[str]:
    if stored is None:
        return []
    document: Document = orjson.loads(stored.data)
    document["metadata"] = {key: value for key, value in document["metadata"].items() if key not in _HIDDEN}
    text: str = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False)
    return text.splitlines()
