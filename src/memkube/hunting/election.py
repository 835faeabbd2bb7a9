"""Locks of leader election: Leases, and ConfigMaps or Endpoints with a leader-election record in an annotation."""

import json
from datetime import UTC, datetime
from typing import Any, Final

from memkube.apimachinery.model import Document

ANNOTATION: Final = "control-plane.alpha.kubernetes.io/leader"
"""Annotation in which a ConfigMap or Endpoints object has a record, as JSON text."""
RESOURCES: Final = {"Lease": "leases.coordination.k8s.io", "ConfigMap": "configmaps", "Endpoints": "endpoints"}
_CONTENT: Final = ("data", "binaryData", "subsets")


def is_record(document: Document) -> bool:
    """Return True if an object serves only leader election: a Lease, or a ConfigMap or Endpoints without other data."""
    kind = document.get("kind")
    if kind == "Lease":
        return True
    annotations = document["metadata"].get("annotations") or {}
    return kind in RESOURCES and ANNOTATION in annotations and not any(document.get(name) for name in _CONTENT)


def holder(document: Document) -> str:
    """Return the identity of the leader according to the leader-election record in an object; "" if there is none."""
    return str(_record(document).get("holderIdentity") or "")


def lasting(document: Document) -> float:
    """Return the seconds for which an object's leader-election record is valid after a renewal; 0 if unknown."""
    try:
        return float(_record(document).get("leaseDurationSeconds") or 0)
    except ValueError:
        return 0.0


def held_by(document: Document, identity: str) -> Document:
    """Return a merge patch that makes the process `identity` the leader in an object's leader-election record."""
    record = _record(document)
    now = datetime.now(UTC)
    if document.get("kind") == "Lease":
        time = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    elif "T" in str(record.get("renewTime")):
        time = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    else:
        # client-python writes local times without a time zone: keep this form.
        time = str(now.astimezone().replace(tzinfo=None))
    return _patch(document, {"holderIdentity": identity, "renewTime": time, "acquireTime": time})


def released(document: Document) -> Document:
    """Return a merge patch that removes the leader from an object's leader-election record."""
    second = "1" if isinstance(_record(document).get("leaseDurationSeconds"), str) else 1
    return _patch(document, {"holderIdentity": "", "leaseDurationSeconds": second})


def _record(document: Document) -> dict[str, Any]:
    if document.get("kind") == "Lease":
        return document.get("spec") or {}
    try:
        record = json.loads((document["metadata"].get("annotations") or {}).get(ANNOTATION, ""))
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _patch(document: Document, changes: dict[str, Any]) -> Document:
    if document.get("kind") == "Lease":
        return {"spec": changes}
    record = json.dumps({**_record(document), **changes})
    return {"metadata": {"annotations": {ANNOTATION: record}}}
