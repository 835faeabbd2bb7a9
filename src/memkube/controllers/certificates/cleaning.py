"""``certificatesigningrequest-cleaner-controller``: deletes old CertificateSigningRequests (``cleaner``)."""

from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.pem import pem_blocks
from memkube.apimachinery.x509_objects import read_certificate
from memkube.controllers.certificates.conditions import REQUESTS, conditions, has, is_issued
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_INTERVAL: Final = 3600.0
_DECIDED: Final = timedelta(hours=1)
_PENDING: Final = timedelta(hours=24)
_ALL: Final = "all requests"


class CleanerController:
    """Deletes old CertificateSigningRequests. It examines all of them once an hour while any exist."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("certificate cleaner", self._sync)
        self._requests = runtime.informers.of(*REQUESTS)
        self._requests.subscribe(self._on_request)

    def _on_request(self, old: StoredObject | None, _: StoredObject | None) -> None:
        if old is None and self._queue.due(_ALL) is None:
            self._queue.add_after(_ALL, _INTERVAL)

    async def _sync(self, _: str) -> None:
        resource, now = self._runtime.registry.find(*REQUESTS).resource, self._runtime.clock.now()
        for stored in self._requests:
            if not _is_old(stored, now):
                continue
            with ignoring_absence():
                await self._runtime.client.delete(resource, "", stored.name, DeleteOptions())
        if any(True for _ in self._requests):
            self._queue.add_after(_ALL, _INTERVAL)


def _is_old(stored: StoredObject, now: datetime) -> bool:
    ages = {"Denied": _DECIDED, "Failed": _DECIDED, "Approved": _DECIDED if is_issued(stored) else _PENDING}
    decided = conditions(stored)
    if any(_has_passed(each.get("lastUpdateTime"), ages.get(each["type"]), now) for each in decided):
        return True
    if not decided:
        return _has_passed(stored.document["metadata"]["creationTimestamp"], _PENDING, now)
    return has(stored, "Approved") and is_issued(stored) and _is_expired(stored, now)


def _has_passed(since: str | None, age: timedelta | None, now: datetime) -> bool:
    return since is not None and age is not None and now - datetime.fromisoformat(since) > age


def _is_expired(stored: StoredObject, now: datetime) -> bool:
    """True if the certificate issued for a CertificateSigningRequest has expired.

    If the status contains a chain of certificates, only the first certificate is examined.
    """
    block = next(pem_blocks(decode_base64(stored.document["status"]["certificate"])), None)
    if block is None:
        return False
    try:
        return now > read_certificate(block.content).not_valid_after_utc
    except ValueError:
        return False
