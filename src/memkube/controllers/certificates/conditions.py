"""Conditions of CertificateSigningRequests (``certificate_controller_utils.go``)."""

from typing import Any, Final

from memkube.registry.objects.stored import StoredObject

REQUESTS: Final = ("certificates.k8s.io", "v1", "certificatesigningrequests")


def conditions(stored: StoredObject) -> list[dict[str, Any]]:
    """Return the conditions of a request."""
    found: list[dict[str, Any]] = stored.document["status"].get("conditions") or []
    return found


def has(stored: StoredObject, condition_type: str) -> bool:
    """True if a request has a condition of a type; Approved, Denied and Failed are never false."""
    return any(condition["type"] == condition_type for condition in conditions(stored))


def is_issued(stored: StoredObject) -> bool:
    """True if a request has its certificate."""
    return bool(stored.document["status"].get("certificate"))
