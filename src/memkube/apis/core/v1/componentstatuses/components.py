"""Health checks of the control plane's components.

Components simulated in this process are always healthy. For any other component, the server requests ``/healthz`` from
this machine at the component's default port, as kube-apiserver does. Sources: ``pkg/registry/core/componentstatus``,
``pkg/registry/core/rest/storage_core.go`` and ``pkg/probe/http``.
"""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

from memkube.apimachinery.errors import GroupResource, not_found
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.componentstatuses.control_plane import CONTROLLER_MANAGER, SCHEDULER
from memkube.registry.declarations.interface import Stores

_STORAGE: Final = "etcd-0"
_PORTS: Final = {CONTROLLER_MANAGER: 10257, SCHEDULER: 10259}
_SECONDS: Final = 20
_MOST_BYTES: Final = 10 * 1024
# In 404 messages, kube-apiserver calls the resource "componentstatus" instead of "componentstatuses".
_NAMED: Final = GroupResource("", "componentstatus")


@dataclass(frozen=True, slots=True)
class Health:
    """Result of one component's health check: the condition's status (True, False or Unknown) and its message."""

    status: str
    message: str


class Components:
    """Computes ComponentStatuses from health checks on each read; no ComponentStatus is stored."""

    async def one(self, stores: Stores, namespace: str, name: str) -> Document:
        if name not in (_STORAGE, *_PORTS):
            raise not_found(_NAMED, name)
        return _document(name, await _health(stores, name))

    async def all(self, stores: Stores, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        names = sorted((_STORAGE, *_PORTS))
        found = await asyncio.gather(*(_health(stores, name) for name in names))
        return [_document(name, health) for name, health in zip(names, found, strict=True)]


async def probe(port: int) -> Health:
    """Request ``/healthz`` of the component at a port of this machine, and return its health.

    TLS certificates are not verified.
    """
    return await asyncio.to_thread(_probe, port)


async def _health(stores: Stores, name: str) -> Health:
    if name == _STORAGE or name in stores.kind_services.local_components:
        return Health("True", "ok")
    return await probe(_PORTS[name])


def _probe(port: int) -> Health:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=unchecked))
    url = f"https://127.0.0.1:{port}/healthz"
    try:
        with opener.open(url, timeout=_SECONDS) as response:
            return Health("True", response.read(_MOST_BYTES).decode(errors="replace"))
    except HTTPError as error:
        return Health("False", f"HTTP probe failed with statuscode: {error.code}")
    except (URLError, OSError) as error:
        return Health("False", f"Get {quoted(url)}: {_failure(error, port)}")


def _failure(error: OSError, port: int) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ConnectionRefusedError):
        return f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    if isinstance(reason, TimeoutError):
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    return str(reason)


def _document(name: str, health: Health) -> Document:
    condition = {"type": "Healthy", "status": health.status}
    if health.message:
        condition["message"] = health.message
    return {"metadata": {"name": name}, "conditions": [condition]}
