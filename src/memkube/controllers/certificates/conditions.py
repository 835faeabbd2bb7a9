"""Reads conditions of CertificateSigningRequests, such as Approved (``certificate_controller_utils.go``)."""

from typing import Any, Final

from memkube.controllers.framework.work_queue import Retries
from memkube.registry.objects.stored import StoredObject

REQUESTS: Final = ("certificates.k8s.io", "v1", "certificatesigningrequests")
RETRIES: Final = Retries(first_delay=0.2)
"""Delays before a request is processed again after an error."""


def conditions(stored: StoredObject) -> list[dict[str, Any]]:
    """Return the conditions in the status of a CertificateSigningRequest."""
    found: list[dict[str, Any]] = stored.document["status"].get("conditions") or []
    return found


def has(stored: StoredObject, condition_type: str) -> bool:
    """True if a CertificateSigningRequest has a condition of type `condition_type`: Approved, Denied or Failed.

    The status of the condition is not read, because validation permits only True.
    """
    return any(condition["type"] == condition_type for condition in conditions(stored))


def is_issued(stored: StoredObject) -> bool:
    """True if the status of a CertificateSigningRequest contains the signed certificate."""
    return bool(stored.document["status"].get("certificate"))
