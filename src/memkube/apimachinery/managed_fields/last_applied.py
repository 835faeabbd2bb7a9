"""The annotation of client-side apply, which kubectl's server-side apply takes over.

Sources: apimachinery's ``managedfields/internal/lastapplied*.go``.
"""

from typing import Any, Final

import orjson

from memkube.apimachinery.managed_fields.compare import compare
from memkube.apimachinery.managed_fields.field_set import FieldSet, difference
from memkube.apimachinery.managed_fields.mentioned import mentioned
from memkube.apimachinery.managed_fields.validate import violations
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
MANAGER: Final = "kubectl"
_MAX_SIZE: Final = 256 * 1024
_HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def owned_client_side(schema: Schema, live: Document, api_version: str) -> FieldSet | None:
    """The fields that client-side apply set and that have not changed since; None without a usable annotation."""
    text = _annotations(live).get(ANNOTATION)
    if not text or violations(schema, live):
        return None
    try:
        last = orjson.loads(text)
    except ValueError:
        return None
    if not isinstance(last, dict) or last.get("apiVersion") != api_version or violations(schema, last):
        return None
    changes = compare(schema, last, live)
    return difference(difference(mentioned(schema, last), changes.set), changes.removed)


def with_last_applied(document: Document, config: Document) -> Document:
    """The object with the annotation brought up to date, if it has one and the annotations stay small enough."""
    annotations = _annotations(document)
    if not annotations.get(ANNOTATION):
        return document
    updated = {**annotations, ANNOTATION: _written(config)}
    if sum(len(key.encode()) + len(str(value).encode()) for key, value in updated.items()) > _MAX_SIZE:
        del updated[ANNOTATION]
    return {**document, "metadata": {**document["metadata"], "annotations": updated}}


def _written(config: Document) -> str:
    annotations = _annotations(config)
    if ANNOTATION in annotations:
        rest = {key: value for key, value in annotations.items() if key != ANNOTATION}
        config = {**config, "metadata": {**config["metadata"], "annotations": rest}}
    return orjson.dumps(config, option=orjson.OPT_SORT_KEYS).decode().translate(_HTML_ESCAPES) + "\n"


def _annotations(document: Document) -> dict[str, Any]:
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
