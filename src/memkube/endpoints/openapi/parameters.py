"""The parameters of operations."""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from memkube.apimachinery.schema import ListSchema, Scalar, StructSchema

Parameter: TypeAlias = dict[str, Any]

_QUERY: Final = {
    "allowWatchBookmarks": ("boolean", "Whether a watch may send bookmarks."),
    "continue": ("string", "Token of the previous answer with which to ask for what follows."),
    "dryRun": ("string", "All to go through every stage without storing the outcome."),
    "fieldManager": ("string", "Name under which the changed fields are tracked."),
    "fieldSelector": ("string", "Selects objects by their fields."),
    "fieldValidation": ("string", "What to do about unknown and duplicate fields: Ignore, Warn or Strict."),
    "force": ("boolean", "Whether an apply takes fields over from other managers."),
    "gracePeriodSeconds": ("integer", "Seconds until the object is gone; 0 deletes at once."),
    "ignoreStoreReadErrorWithClusterBreakingPotential": (
        "boolean",
        "Whether to delete an object even if it cannot be read any more.",
    ),
    "labelSelector": ("string", "Selects objects by their labels."),
    "limit": ("integer", "Most objects to answer at once."),
    "orphanDependents": ("boolean", "Deprecated for propagationPolicy; whether dependents stay behind."),
    "pretty": ("string", "Whether to indent the answer."),
    "propagationPolicy": ("string", "What becomes of dependents: Orphan, Background or Foreground."),
    "resourceVersion": ("string", "Version to read at or to watch from."),
    "resourceVersionMatch": ("string", "How resourceVersion is meant: Exact or NotOlderThan."),
    "sendInitialEvents": ("boolean", "Whether a watch begins with the objects that exist."),
    "shardSelector": ("string", "Selects a part of the objects by their identity."),
    "timeoutSeconds": ("integer", "Seconds after which a list or watch ends."),
    "watch": ("boolean", "Whether to watch for changes instead of listing."),
}
_PATH: Final = {
    "name": "Name of the object.",
    "namespace": "Namespace of the object.",
    "path": "Path to pass on.",
}
_OPTION_TYPES: Final = {"string": "string", "bool": "boolean", "int32": "integer", "int64": "integer"}

WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")
PATCH: Final = (*WRITE, "force")
DELETE: Final = (
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
)
_SELECTION: Final = (
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
)
LIST: Final = ("allowWatchBookmarks", *_SELECTION, "watch")
DELETE_COLLECTION: Final = (*_SELECTION, *DELETE)


def query_parameters(names: Iterable[str]) -> list[Parameter]:
    """Query parameters that are known to every resource."""
    return [_parameter(name, "query", *_QUERY[name]) for name in names]


def path_parameters(names: Iterable[str]) -> list[Parameter]:
    """Parameters that are parts of the path."""
    return [{**_parameter(name, "path", "string", _PATH[name]), "required": True} for name in names]


def option_parameters(options: StructSchema) -> list[Parameter]:
    """The fields of an options struct as query parameters."""
    found = []
    for name, field in options.fields.items():
        schema = field.schema.items if isinstance(field.schema, ListSchema) else field.schema
        if isinstance(schema, Scalar) and schema.type in _OPTION_TYPES and not field.embedded:
            found.append(_parameter(name, "query", _OPTION_TYPES[schema.type], field.description))
    return found


def _parameter(name: str, where: str, kind: str, description: str) -> Parameter:
    return {"name": name, "in": where, "description": description, "schema": {"type": kind, "uniqueItems": True}}
