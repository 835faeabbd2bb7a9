"""Request bodies as JSON data, in which the values of Secrets are masked."""

from typing import Any, Final

from memkube.apimachinery.decoding import DecodeError, parse_json
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.apimachinery.protobuf import open_envelope
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.writes.patching import APPLY_PATCH
from memkube.telemetry.request_log import RequestRecord

MASK: Final = "***"
"""Text that replaces each value of a Secret."""
_VALUES: Final = ("data", "stringData")
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_HARMLESS_PATHS: Final = ("/metadata/labels", "/metadata/finalizers", "/metadata/ownerReferences", "/type")


def shown_body(record: RequestRecord, catalog: Catalog) -> Any:
    """Return the body of a logged request as JSON data, or as text if it cannot be decoded; None if it is empty.

    The values of Secrets are masked; a Secret that cannot be decoded is masked as a whole.
    """
    if not record.body:
        return None
    is_secret = (record.target.group, record.target.resource) == ("", "secrets")
    if len(record.body) < record.body_size:
        return MASK if is_secret else record.body.decode("utf-8", "replace")
    try:
        document = _parsed(record, catalog)
    except (DecodeError, ValueError, KeyError):
        return MASK if is_secret else record.body.decode("utf-8", "replace")
    return _masked(document) if is_secret else document


def _parsed(record: RequestRecord, catalog: Catalog) -> Any:
    """Decode the body of a logged request. Raises DecodeError, ValueError or KeyError if it cannot be decoded."""
    media_type = record.content_type.partition(";")[0].strip()
    if media_type == "application/vnd.kubernetes.protobuf":
        envelope = open_envelope(record.body)
        resource = catalog.of_kind(KindName.of(envelope.api_version, envelope.kind))
        if resource is None:
            return f"{envelope.kind} in protobuf, {record.body_size} bytes"
        document = catalog.messages.decode(resource.form.struct, envelope.message)
        return {"apiVersion": envelope.api_version, "kind": envelope.kind, **document}
    if media_type == APPLY_PATCH or media_type.endswith("yaml"):
        return read_yaml(record.body).data
    return parse_json(record.body)


def _masked(document: Any) -> Any:
    if isinstance(document, list):
        return [_masked_operation(operation) for operation in document]
    if not isinstance(document, dict):
        return MASK
    masked = dict(document)
    for key in _VALUES:
        if key in masked:
            values = masked[key]
            masked[key] = dict.fromkeys(values, MASK) if isinstance(values, dict) else MASK
    metadata = masked.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict) and _LAST_APPLIED in annotations:
        masked["metadata"] = {**masked["metadata"], "annotations": {**annotations, _LAST_APPLIED: MASK}}
    return masked


def _masked_operation(operation: Any) -> Any:
    """Return an operation of a JSON patch with masked values of Secrets."""
    if not isinstance(operation, dict) or "value" not in operation:
        return operation
    is_harmless = str(operation.get("path", "")).startswith(_HARMLESS_PATHS)
    return operation if is_harmless else {**operation, "value": MASK}
