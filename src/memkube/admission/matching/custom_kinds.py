"""Custom objects that a JSON patch has changed: their apiVersion and kind, and their metadata."""

from collections.abc import Callable
from typing import Any

import orjson

from memkube.admission.matching.rules import Match
from memkube.apimachinery.decoding import DecodeError, probe_type
from memkube.apimachinery.errors import ApiError, internal_error, invalid
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.forms import decode_custom_metadata
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.kinds import KindName, kind_shown


def checked_custom_object(
    document: Document, match: Match, refuse: Callable[[str], ApiError], *, creates: bool
) -> Document:
    """Return the patched custom object `document`, without the fields of its metadata that have values of wrong types.

    `creates` is True if the request creates the object. `match` has the kind that a rule matched, and `refuse` makes an
    error, as in `_check_kind`. Raises ApiError if the patch changed the kind in a way that is not accepted, or if the
    metadata of a new object is not a JSON object.
    """
    _check_kind(document, match, refuse)
    metadata = document.get("metadata")
    if metadata is None:
        return document
    if not isinstance(metadata, dict):
        if creates:
            raise internal_error("system metadata was not initialized")
        return {**document, "metadata": {}}
    readable = {name: value for name, value in metadata.items() if _is_readable(name, value)}
    return document if len(readable) == len(metadata) else {**document, "metadata": readable}


def _check_kind(document: Document, match: Match, refuse: Callable[[str], ApiError]) -> None:
    """Raise ApiError unless the patched custom object `document` still has the kind in `match`, which a rule matched.

    The version may be another served one, if a conversion to the matched version would only change the apiVersion.
    `refuse` takes a message, and returns the error for a group or version that is not accepted. This function makes all
    other errors.
    """
    try:
        api_version, kind = probe_type(document)
    except DecodeError as error:
        raise internal_error(error.message) from None
    found, expected, versions = KindName.of(api_version, kind), match.kind, match.resource.versions
    if not kind:
        in_order = orjson.loads(orjson.dumps(document, option=orjson.OPT_SORT_KEYS))
        raise internal_error(f"Object 'Kind' is missing in '{to_json(in_order).decode()}'")
    if found.group != expected.group:
        shown = kind_shown(api_version, kind)
        raise refuse(f"{shown} is unstructured and is not suitable for converting to {quoted(expected.api_version)}")
    if found.version != expected.version:
        if versions is None or versions.structural_schema(api_version) is None:
            raise refuse(f"request to convert CR from an invalid group/version: {api_version}")
        if versions.cache_condition(api_version) is not None:
            raise refuse(f"the change of a patched object's apiVersion to {api_version} needs a conversion webhook")
    if kind != expected.kind:
        metadata = document.get("metadata")
        name = metadata.get("name", "") if isinstance(metadata, dict) else ""
        raise invalid(expected.group, kind, name, [invalid_value("kind", kind, f"must be {expected.kind}")])


def _is_readable(name: str, value: Any) -> bool:
    try:
        decode_custom_metadata({"metadata": {name: value}}, None)
    except DecodeError:
        return False
    return True
