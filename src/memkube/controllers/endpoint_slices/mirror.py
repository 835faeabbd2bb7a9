"""Computes and writes the EndpointSlices that mirror Endpoints (``endpointslicemirroring/reconciler.go``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.ip_addresses import parse_unmapped_ip
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.controllers.endpoint_slices.known_slices import KnownSlices
from memkube.controllers.endpoint_slices.slice_writer import SliceWriter
from memkube.controllers.endpoint_slices.slices import (
    MANAGED_BY,
    SERVICE_NAME,
    SLICES,
    DesiredEndpoints,
    Plan,
    PortsKey,
    Slice,
    endpoint_key,
    name_prefix,
    ports_key,
    same_endpoint,
    sorted_ports,
)
from memkube.controllers.endpoints.endpoint_pods import IPV4, IPV6
from memkube.controllers.endpoints.subsets import repack
from memkube.controllers.endpoints.trigger_times import LAST_CHANGE
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_Group: TypeAlias = tuple[str, PortsKey]
"""Address type and ports that all endpoints of one EndpointSlice have in common."""

MANAGER: Final = "endpointslicemirroring-controller.k8s.io"
"""Value of the label ``endpointslice.kubernetes.io/managed-by`` of mirrored EndpointSlices."""
_MOST_ENDPOINTS: Final = 1000
"""Maximum number of addresses of a subset that are mirrored (``--mirroring-max-endpoints-per-subset``)."""
_NOT_MIRRORED: Final = (LAST_CHANGE, "kubectl.kubernetes.io/last-applied-configuration")
"""Annotations of Endpoints that are not copied to the mirroring EndpointSlices."""


class MirrorReconciler:
    """Mirrors an Endpoints object in EndpointSlices: one slice for each subset and IP family."""

    def __init__(self, runtime: Runtime, known: KnownSlices, events: EventRecorder) -> None:
        self._runtime = runtime
        self._known = known
        self._events = events
        self._writer = SliceWriter(runtime, known, "Endpoints")

    async def reconcile(self, endpoints: StoredObject, existing: Sequence[StoredObject]) -> None:
        """Write the EndpointSlices that mirror an Endpoints object; `existing` are those that mirror it now.

        Raises ReconcileFailed if a write fails.
        """
        desired: dict[_Group, DesiredEndpoints] = {}
        invalid = skipped = 0
        for subset in repack(endpoints.document.get("subsets") or []):
            bad, added, total = _add(subset, desired)
            invalid += bad
            skipped += total - added
        await self._report(endpoints, invalid, skipped)
        slices: dict[_Group, list[Slice]] = {}
        for each in map(Slice.of, existing):
            slices.setdefault((each.address_type, each.key), []).append(each)
        plan = Plan()
        for group, wanted in desired.items():
            plan.add(self._plan(endpoints, group[0], wanted, slices.pop(group, [])))
        plan.delete += [each for rest in slices.values() for each in rest]
        await self._writer.write(endpoints, _with_replacements(plan))

    async def delete(self, slices: Iterable[StoredObject]) -> None:
        """Delete EndpointSlices. If a deletion fails, continue with the other slices, then raise the last ApiError."""
        failure: ApiError | None = None
        for stored in slices:
            resource = self._runtime.registry.find(*SLICES).resource
            try:
                await self._runtime.client.delete(resource, stored.namespace, stored.name, DeleteOptions())
            except ApiError as error:
                failure = failure if error.reason == "NotFound" else error
        if failure is not None:
            raise failure

    async def _report(self, endpoints: StoredObject, invalid: int, skipped: int) -> None:
        if invalid:
            message = f"Skipped {invalid} invalid IP addresses when mirroring to EndpointSlices"
            await self._events.record(endpoints, Report("Warning", "InvalidIPAddress", message))
        if skipped > invalid:
            limit = f"A max of {_MOST_ENDPOINTS} addresses can be mirrored to EndpointSlices per Endpoints subset."
            message = f"{limit} {skipped} addresses were skipped"
            await self._events.record(endpoints, Report("Warning", "TooManyAddressesToMirror", message))

    def _plan(
        self, endpoints: StoredObject, address_type: str, wanted: DesiredEndpoints, existing: Sequence[Slice]
    ) -> Plan:
        """Plan the EndpointSlice that mirrors the endpoints `wanted`, which have the same address type and ports.

        The first existing slice is updated if necessary; all others are deleted.
        """
        if not wanted.endpoints:
            return Plan(delete=[*existing])
        plan, first = Plan(delete=[*existing[1:]]), existing[0] if existing else None
        if first is not None and _is_up_to_date(first, wanted, endpoints):
            assert first.stored is not None
            if not self._known.is_tracked(first.stored):
                self._known.wrote(first.stored)
            return plan
        made = _new_slice(endpoints, address_type, wanted)
        if first is None:
            plan.create.append(made)
        else:
            # Set no generateName: as in Kubernetes, an update keeps that of the existing slice.
            made.replaces, made.prefix = first.stored, ""
            plan.update.append(made)
        return plan


def _add(subset: Document, desired: dict[_Group, DesiredEndpoints]) -> tuple[int, int, int]:
    """Add the addresses of an Endpoints subset to the desired EndpointSlices.

    Returns the number of invalid addresses, of added addresses, and of all addresses in the subset.
    """
    ports = sorted_ports([{"name": "", **port} for port in subset.get("ports") or []])
    key = ports_key(ports)
    groups = {family: desired.setdefault((family, key), DesiredEndpoints(ports)) for family in (IPV4, IPV6)}
    addresses = [(address, True) for address in subset.get("addresses") or []]
    addresses += [(address, False) for address in subset.get("notReadyAddresses") or []]
    invalid = added = 0
    for address, ready in addresses:
        if added >= _MOST_ENDPOINTS:
            break
        parsed = parse_unmapped_ip(address["ip"])
        if parsed is None:
            invalid += 1
            continue
        endpoint = {"addresses": [str(parsed)], "conditions": {"ready": ready}}
        endpoint |= {name: address[name] for name in ("hostname", "targetRef", "nodeName") if name in address}
        groups[IPV6 if parsed.version == 6 else IPV4].endpoints[endpoint_key(endpoint)] = endpoint
        added += 1
    return invalid, added, len(addresses)


def _is_up_to_date(each: Slice, wanted: DesiredEndpoints, endpoints: StoredObject) -> bool:
    """True if the EndpointSlice `each` has the endpoints `wanted`, and the labels and annotations of the Endpoints."""
    assert each.stored is not None
    pairs = [(wanted.endpoints.get(endpoint_key(endpoint)), endpoint) for endpoint in each.endpoints]
    if len(pairs) != len(wanted.endpoints):
        return False
    if not all(desired is not None and same_endpoint(desired, endpoint) for desired, endpoint in pairs):
        return False
    labels = {name: value for name, value in each.labels.items() if name not in (MANAGED_BY, SERVICE_NAME)}
    if labels != endpoints.labels or each.annotations != _mirrored_annotations(endpoints):
        return False
    references = each.stored.document["metadata"].get("ownerReferences") or []
    mine = [one for one in references if (one["kind"], one["name"]) == ("Endpoints", endpoints.name)]
    return all(reference["uid"] == endpoints.uid for reference in mine)


def _mirrored_annotations(endpoints: StoredObject) -> dict[str, str]:
    annotations: Mapping[str, str] = endpoints.document["metadata"].get("annotations") or {}
    return {name: value for name, value in annotations.items() if name not in _NOT_MIRRORED}


def _new_slice(endpoints: StoredObject, address_type: str, wanted: DesiredEndpoints) -> Slice:
    owner = {"apiVersion": "v1", "kind": "Endpoints", "name": endpoints.name, "uid": endpoints.uid}
    return Slice(
        address_type=address_type,
        ports=wanted.ports,
        labels={**endpoints.labels, SERVICE_NAME: endpoints.name, MANAGED_BY: MANAGER},
        endpoints=list(wanted.endpoints.values())[:_MOST_ENDPOINTS],
        annotations=_mirrored_annotations(endpoints),
        owner={**owner, "controller": True, "blockOwnerDeletion": True},
        prefix=name_prefix(endpoints.name),
    )


def _with_replacements(plan: Plan) -> Plan:
    """Turn pairs of a planned creation and a planned deletion into updates of the existing EndpointSlice."""
    create, update, delete = list[Slice](), [*plan.update], [*plan.delete]
    for made in plan.create:
        replaced = next((each for each in delete if each.address_type == made.address_type), None)
        if replaced is None:
            create.append(made)
        else:
            delete.remove(replaced)
            made.replaces = replaced.stored
            update.append(made)
    return Plan(create, update, delete)
