"""The overview of workloads in one or all namespaces: rollouts, Services, claims, quotas, budgets and warnings."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.apimachinery.quantity import Quantity
from memkube.ui import PREFIX
from memkube.ui.budgets import budgets_of
from memkube.ui.objects import Happened, happened
from memkube.ui.page import render
from memkube.ui.reading import Reading, in_namespace
from memkube.ui.rollouts import rollouts_of
from memkube.ui.tables import tone_of
from memkube.ui.tiles import counted, tile_of

_CORE: Final = "/api/v1"
_SERVICE: Final = "kubernetes.io/service-name"
"""Label that names the Service to which an EndpointSlice belongs."""
_SHOWN_WARNINGS: Final = 8
_NEARLY_FULL: Final = 0.8

router = APIRouter(prefix=PREFIX)


class Endpoint(NamedTuple):
    """An address in an EndpointSlice of a Service."""

    address: str
    target: str
    """Name of the pod with this address; empty if the address belongs to no pod."""
    path: str
    """API path of the pod with this address; empty if the address belongs to no pod."""
    is_ready: bool


class ServiceView(NamedTuple):
    """A Service and its endpoints, as the overview of workloads shows them."""

    namespace: str
    name: str
    type: str
    address: str
    ports: str
    endpoints: Sequence[Endpoint]

    @property
    def path(self) -> str:
        """Path of the Service in the API."""
        return f"{_CORE}/namespaces/{self.namespace}/services/{self.name}"

    @property
    def ready(self) -> int:
        """Number of ready endpoints."""
        return sum(one.is_ready for one in self.endpoints)


class Claim(NamedTuple):
    """A PersistentVolumeClaim and its volume, as the overview of workloads shows them."""

    namespace: str
    name: str
    phase: str
    tone: str
    size: str
    storage_class: str
    volume: str
    """Name of the bound PersistentVolume; empty if the claim is not bound."""
    volume_status: str

    @property
    def path(self) -> str:
        """Path of the PersistentVolumeClaim in the API."""
        return f"{_CORE}/namespaces/{self.namespace}/persistentvolumeclaims/{self.name}"


class Usage(NamedTuple):
    """The used amount and the hard limit of one resource in a ResourceQuota."""

    resource: str
    used: str
    hard: str
    share: float
    """Used fraction of the hard limit. It exceeds 1 if the limit is exceeded."""

    @property
    def tone(self) -> str:
        """``bad`` if the hard limit is reached, ``waiting`` if it is almost reached, otherwise ``good``."""
        return "bad" if self.share >= 1 else "waiting" if self.share >= _NEARLY_FULL else "good"


class Quota(NamedTuple):
    """A ResourceQuota with its hard limits and their usage."""

    namespace: str
    name: str
    usages: Sequence[Usage]

    @property
    def path(self) -> str:
        """Path of the ResourceQuota in the API."""
        return f"{_CORE}/namespaces/{self.namespace}/resourcequotas/{self.name}"


@router.get("/workloads")
async def show(request: Request) -> Response:
    """Shows the workloads of one or all namespaces, now or at a past revision."""
    reading, namespace = Reading.of(request), request.query_params.get("namespace", "")
    pods = [tile_of(row) for row in await reading.rows(in_namespace(_CORE, "pods", namespace))]
    return await render(
        request,
        "workloads.html",
        reading=reading,
        namespace=namespace,
        namespaces=[row.cells["Name"] for row in await reading.rows(f"{_CORE}/namespaces")],
        counts=counted(pods),
        rollouts=await rollouts_of(reading, namespace),
        budgets=await budgets_of(reading, namespace),
        services=await _services(reading, namespace),
        claims=await _claims(reading, namespace),
        quotas=[_quota(one) for one in await reading.items(in_namespace(_CORE, "resourcequotas", namespace))],
        warnings=await _warnings(reading, namespace),
    )


async def _warnings(reading: Reading, namespace: str) -> list[Happened]:
    """Return the newest events of type Warning, the newest one first."""
    events = await reading.items(in_namespace(_CORE, "events", namespace), "type=Warning")
    return sorted(map(happened, events), key=lambda event: event.time, reverse=True)[:_SHOWN_WARNINGS]


async def _services(reading: Reading, namespace: str) -> list[ServiceView]:
    slices: dict[tuple[str, str], list[Any]] = {}
    for endpoint_slice in await reading.items(in_namespace("/apis/discovery.k8s.io/v1", "endpointslices", namespace)):
        metadata = endpoint_slice["metadata"]
        key = metadata["namespace"], (metadata.get("labels") or {}).get(_SERVICE, "")
        slices.setdefault(key, []).append(endpoint_slice)
    return [_service(one, slices) for one in await reading.items(in_namespace(_CORE, "services", namespace))]


def _service(document: Any, slices: Mapping[tuple[str, str], Sequence[Any]]) -> ServiceView:
    metadata, spec = document["metadata"], document["spec"]
    place = metadata["namespace"], metadata["name"]
    ports = (f"{one.get('name', '')} {one['port']}/{one['protocol']}".strip() for one in spec.get("ports") or ())
    endpoints = {
        (one.address, one.target): one
        for found in slices.get(place, ())
        for told in found.get("endpoints") or ()
        for one in [_endpoint(told, place[0])]
    }
    address = str(spec.get("externalName") or spec.get("clusterIP") or "")
    return ServiceView(*place, spec.get("type", ""), address, ", ".join(ports), list(endpoints.values()))


def _endpoint(told: Mapping[str, Any], namespace: str) -> Endpoint:
    target = told.get("targetRef") or {}
    name = target.get("name", "") if target.get("kind") == "Pod" else ""
    path = f"{_CORE}/namespaces/{namespace}/pods/{name}" if name else ""
    # As Kubernetes defines it, an endpoint without the condition `ready` is ready.
    is_ready = (told.get("conditions") or {}).get("ready") is not False
    return Endpoint(", ".join(told.get("addresses") or ()), name, path, is_ready)


async def _claims(reading: Reading, namespace: str) -> list[Claim]:
    claims = await reading.items(in_namespace(_CORE, "persistentvolumeclaims", namespace))
    volumes = {one["metadata"]["name"]: one for one in await reading.items(f"{_CORE}/persistentvolumes")}
    return [_claim(one, volumes) for one in claims]


def _claim(document: Any, volumes: Mapping[str, Any]) -> Claim:
    metadata, spec, status = document["metadata"], document["spec"], document.get("status") or {}
    volume = volumes.get(spec.get("volumeName", ""))
    told = ""
    if volume is not None:
        phase = (volume.get("status") or {}).get("phase", "")
        told = f"{phase}, {volume['spec'].get('persistentVolumeReclaimPolicy', '')}"
    requested = ((spec.get("resources") or {}).get("requests") or {}).get("storage", "")
    phase = status.get("phase", "")
    return Claim(
        metadata["namespace"],
        metadata["name"],
        phase,
        tone_of(phase),
        str((status.get("capacity") or {}).get("storage") or requested),
        str(spec.get("storageClassName") or ""),
        str(spec.get("volumeName") or ""),
        told,
    )


def _quota(document: Any) -> Quota:
    metadata, status = document["metadata"], document.get("status") or {}
    used = status.get("used") or {}
    hard: Mapping[str, Any] = status.get("hard") or document["spec"].get("hard") or {}
    usages = [_usage(name, str(used.get(name, "0")), str(limit)) for name, limit in hard.items()]
    return Quota(metadata["namespace"], metadata["name"], usages)


def _usage(resource: str, used: str, hard: str) -> Usage:
    most = Quantity.parse(hard).milli_value
    return Usage(resource, used, hard, Quantity.parse(used).milli_value / most if most else 1.0)
