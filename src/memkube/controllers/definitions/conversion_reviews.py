"""ConversionReviews: requests to conversion webhooks, and validation of the responses.

Source: apiextensions ``pkg/apiserver/conversion/webhook_converter.go``.
"""

from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery.field_errors import FieldPath, aggregate_message
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import go_type
from memkube.apimachinery.shown_values import quoted
from memkube.apis.apiextensions.v1.conversion_reviews import ConversionReview
from memkube.registry.declarations.kinds import kind_shown

GROUP: Final = "apiextensions.k8s.io"
KIND: Final = "ConversionReview"
_RULES: Final = {
    "labels": (validate_labels, FieldPath("metadata").child("labels")),
    # In errors, the field path is "metadata.annotation" instead of "metadata.annotations", as in kube-apiserver.
    "annotations": (validate_annotations, FieldPath("metadata").child("annotation")),
}


class ConversionFailed(Exception):
    """Raised if the response of a conversion webhook is invalid.

    The message is only the last part of kube-apiserver's message. The code that handles this exception puts the names
    of the object and the webhook before it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def conversion_review(version: str, uid: str, desired: str, documents: Sequence[Document]) -> bytes:
    """Return a ConversionReview of this version as JSON, which asks to convert `documents` to the apiVersion `desired`.

    It contains the objects as they are stored, without resourceVersions. `uid` identifies the request.
    """
    request = {"uid": uid, "desiredAPIVersion": desired, "objects": [_as_stored(document) for document in documents]}
    response: Document = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
    review = {"kind": KIND, "apiVersion": f"{GROUP}/{version}", "request": request, "response": response}
    return to_json(review)


def _as_stored(document: Document) -> Document:
    if "metadata" not in document:
        return document
    metadata = {name: value for name, value in document["metadata"].items() if name != "resourceVersion"}
    return {**document, "metadata": metadata}


def converted_objects(version: str, uid: str, review: ConversionReview) -> list[Any]:
    """Return the converted objects of the ConversionReview `review`, with which a webhook has responded.

    `version` and `uid` are those of the request. The objects are not validated. Raises ConversionFailed if the response
    reports a failure or does not match the request.
    """
    if version == "v1":
        found, wanted = kind_shown(review.apiVersion, review.kind), f"{GROUP}/{version}, Kind={KIND}"
        if found != wanted:
            raise ConversionFailed(f"failed: expected webhook response of {wanted}, got {found}")
    response = review.response
    if response is None:
        raise ConversionFailed("failed: no response provided")
    if version == "v1" and response.uid != uid:
        raise ConversionFailed(f"failed: expected response.uid={quoted(uid)}, got {quoted(response.uid)}")
    status = response.result.status
    if status != "Success":
        why = response.result.message or f"response.result.status was '{status}', not 'Success'"
        raise ConversionFailed(f"failed: {why}")
    return response.convertedObjects


def with_original_metadata(original: Document, converted: Any, desired: str) -> Document:
    """Return a converted object with its original metadata except labels and annotations.

    Raises ConversionFailed if the webhook returned an apiVersion other than `desired`, another kind, name, namespace or
    UID, or malformed metadata.
    """
    faulty = "returned invalid object at index 0: invalid"
    group_version, kind = _group_version(converted), converted["kind"]
    if group_version != desired:
        raise ConversionFailed(f"{faulty} groupVersion (expected {desired}, received {group_version})")
    if kind != original["kind"]:
        raise ConversionFailed(f"{faulty} kind (expected {original['kind']}, received {kind})")
    before, after = original.get("metadata", {}), converted.get("metadata")
    for name, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        expected, received = before.get(name, ""), _text(after, name)
        if expected != received:
            raise ConversionFailed(f"returned invalid object: must have the same {shown}: {expected} != {received}")
    if "metadata" not in converted:
        raise ConversionFailed("returned invalid metadata: missing metadata in converted object")
    if not isinstance(after, dict):
        why = f"invalid metadata of type {go_type(after)} in converted object"
        raise ConversionFailed(f"returned invalid metadata: {why}")
    try:
        return {**converted, "metadata": _restored(before, after)}
    except ValueError as error:
        raise ConversionFailed(f"returned invalid metadata: {error}") from None


def _restored(before: Document, after: Document) -> Document:
    """Return the original metadata `before`, but with the labels and annotations of the converted metadata `after`.

    Raises ValueError if the labels or annotations are invalid.
    """
    kept = {name: value for name, value in before.items() if name not in _RULES or after.get(name)}
    for name, (rule, path) in _RULES.items():
        values = after.get(name)
        if values is None:
            continue
        if not isinstance(values, dict):
            raise ValueError(f"invalid metadata.{name} of type {go_type(values)} in converted object")
        for key, value in values.items():
            if not isinstance(value, str):
                what = f"metadata.{name}[{key}] must be a string"
                raise ValueError(f"{what}, but is {go_type(value)} in converted object")
        if values != (before.get(name) or {}) and (errors := rule(values, path)):
            raise ValueError(aggregate_message(errors))
        if values:
            kept[name] = values
    return kept


def read_object(value: Any) -> Document:
    """Return `value`, which a webhook has returned, if it is a JSON object with a kind.

    Otherwise raise ValueError with the message of Go's decoder.
    """
    if value is None:
        raise ValueError("unexpected end of JSON input")
    if not isinstance(value, dict):
        met = {str: "string", bool: "bool", list: "array"}.get(type(value), "number")
        raise ValueError(f"json: cannot unmarshal {met} into Go value of type map[string]interface {{}}")
    if not _text(value, "kind") or _text(value, "apiVersion").count("/") > 1:
        raise ValueError(f"Object 'Kind' is missing in '{to_json(value).decode()}'")
    return value


def _group_version(document: Document) -> str:
    return _text(document, "apiVersion").removeprefix("/")


def _text(document: Any, name: str) -> str:
    value = document.get(name) if isinstance(document, dict) else None
    return value if isinstance(value, str) else ""
