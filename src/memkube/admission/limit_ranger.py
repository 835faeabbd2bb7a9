"""LimitRanger: sets default requests and limits, and refuses pods and claims outside the bounds of LimitRanges."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.configurations import Configurations
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.limitranges.types import LimitRange, LimitRangeItem
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.aggregate_resources import aggregate_limits, aggregate_requests
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.objects.stored import StoredObject

ANNOTATION: Final = "kubernetes.io/limit-ranger"
_OF_WHOLE_PODS: Final = ("cpu", "memory")
_LARGEST_IN_MILLI: Final = (2**63 - 1) // 1000
_ZERO: Final = Quantity("0")


class LimitRanger(Plugin):
    """Admission plugin that applies the defaults and the bounds of LimitRanges.

    Source: ``plugin/pkg/admission/limitranger``.
    """

    name: ClassVar[str] = "LimitRanger"

    def __init__(self, parts: AdmissionParts) -> None:
        store = parts.registry.find("", "v1", "limitranges")
        self._limit_ranges = Configurations(store, _by_namespace)
        self.configured = store.emptiness()

    async def mutate(self, attributes: Attributes) -> None:
        """Set missing requests and limits of a pod's containers from LimitRanges, and list them in an annotation."""
        pod = attributes.new
        if isinstance(pod, Pod) and _is_bounded(attributes):
            for limit_range in await self._of(attributes.namespace):
                _fill(pod, limit_range)

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a pod or claim whose requests or limits are outside the bounds of a LimitRange."""
        obj = attributes.new
        if not _is_bounded(attributes):
            return
        for limit_range in await self._of(attributes.namespace):
            errors: list[str] = []
            for item in limit_range.spec.limits:
                if isinstance(obj, Pod):
                    errors += _pod_errors(obj.spec, item)
                elif isinstance(obj, PersistentVolumeClaim) and item.type == "PersistentVolumeClaim":
                    errors += _claim_errors(obj.spec.resources.requests, item)
            if errors:
                distinct = list(dict.fromkeys(errors))
                raise refused(attributes, distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]")

    async def _of(self, namespace: str) -> Sequence[LimitRange]:
        return (await self._limit_ranges.get() or {}).get(namespace, ())


def _by_namespace(found: Sequence[StoredObject]) -> Mapping[str, Sequence[LimitRange]]:
    by_namespace: dict[str, list[LimitRange]] = {}
    for stored in found:
        by_namespace.setdefault(stored.namespace, []).append(LimitRange.from_document(stored.document))
    return by_namespace


def _is_bounded(attributes: Attributes) -> bool:
    """True if LimitRanges limit this request: it creates or resizes a pod, or writes a claim.

    LimitRanges do not limit requests for terminating objects.
    """
    if attributes.old is not None and attributes.old.metadata.deletionTimestamp is not None:
        return False
    is_pod = isinstance(attributes.new, Pod)
    if attributes.subresource:
        return is_pod and attributes.subresource == "resize" and attributes.operation == "UPDATE"
    return attributes.operation == "CREATE" if is_pod else isinstance(attributes.new, PersistentVolumeClaim)


def _fill(pod: Pod, limit_range: LimitRange) -> None:
    defaults = ResourceRequirements()
    for item in limit_range.spec.limits:
        if item.type == "Container":
            defaults.requests = {**defaults.requests, **item.defaultRequest}
            defaults.limits = {**defaults.limits, **item.default}
    notes: list[str] = []
    for kind, containers in (("container", pod.spec.containers), ("init container", pod.spec.initContainers)):
        for container in containers:
            notes += _fill_container(container, defaults, kind)
    if notes:
        note = f"LimitRanger plugin set: {'; '.join(notes)}"
        pod.metadata.annotations = {**pod.metadata.annotations, ANNOTATION: note}


def _fill_container(container: Container, defaults: ResourceRequirements, kind: str) -> Iterable[str]:
    for what, given, wanted in (
        ("request", container.resources.requests, defaults.requests),
        ("limit", container.resources.limits, defaults.limits),
    ):
        missing = sorted(wanted.keys() - given.keys())
        if missing:
            filled = {**given, **{name: wanted[name] for name in missing}}
            setattr(container.resources, f"{what}s", filled)
            yield f"{', '.join(missing)} {what} for {kind} {container.name}"


def _pod_errors(spec: PodSpec, item: LimitRangeItem) -> list[str]:
    if item.type == "Container":
        containers = (*spec.containers, *spec.initContainers)
        return [e for c in containers for e in _bound_errors(item, c.resources.requests, c.resources.limits)]
    if item.type == "Pod":
        whole = spec.resources or ResourceRequirements()
        requests = {**aggregate_requests(spec), **_of_whole_pod(whole.requests)}
        limits = {**aggregate_limits(spec), **_of_whole_pod(whole.limits)}
        return _bound_errors(item, requests, limits)
    return []


def _of_whole_pod(resources: Mapping[str, Quantity]) -> dict[str, Quantity]:
    return {name: resources[name] for name in _OF_WHOLE_PODS if name in resources}


def _bound_errors(item: LimitRangeItem, requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> list[str]:
    errors: list[str] = []
    for name, least in sorted(item.min.items()):
        errors += _least_errors(f"minimum {name} usage per {item.type} is", least, requests.get(name), limits.get(name))
    for name, most in sorted(item.max.items()):
        errors += _most_errors(f"maximum {name} usage per {item.type} is", most, requests.get(name), limits.get(name))
    for name, ratio in sorted(item.maxLimitRequestRatio.items()):
        prose = f"{name} max limit to request ratio per {item.type} is"
        errors += _ratio_errors(prose, ratio, requests.get(name), limits.get(name))
    return errors


def _claim_errors(requests: Mapping[str, Quantity], item: LimitRangeItem) -> list[str]:
    errors: list[str] = []
    for name, least in sorted(item.min.items()):
        errors += _least_errors(f"minimum {name} usage per {item.type} is", least, requests.get(name), None)
    for name, most in sorted(item.max.items()):
        prose, request = f"maximum {name} usage per {item.type} is {most}", requests.get(name)
        if request is None:
            errors.append(f"{prose}.  No request is specified")
        elif _comparable(request, None, most)[0] > _comparable(request, None, most)[2]:
            errors.append(f"{prose}, but request is {request}")
    return errors


def _comparable(request: Quantity | None, limit: Quantity | None, bound: Quantity) -> tuple[int, int, int]:
    """Return `request`, `limit` and `bound` as integers in the same unit, with 0 for a missing request or limit.

    The unit is a thousandth of the resource's unit. If one of the numbers would exceed int64 in thousandths, it is the
    resource's unit itself.
    """
    quantities = (request or _ZERO, limit or _ZERO, bound)
    if all(quantity.value <= _LARGEST_IN_MILLI for quantity in quantities):
        first, second, third = (quantity.milli_value for quantity in quantities)
    else:
        first, second, third = (quantity.value for quantity in quantities)
    return first, second, third


def _least_errors(prose: str, least: Quantity, request: Quantity | None, limit: Quantity | None) -> list[str]:
    requested, limited, bound = _comparable(request, limit, least)
    if request is None:
        return [f"{prose} {least}.  No request is specified"]
    if requested < bound:
        return [f"{prose} {least}, but request is {request}"]
    return [f"{prose} {least}, but limit is {limit}"] if limit is not None and limited < bound else []


def _most_errors(prose: str, most: Quantity, request: Quantity | None, limit: Quantity | None) -> list[str]:
    requested, limited, bound = _comparable(request, limit, most)
    if limit is None:
        return [f"{prose} {most}.  No limit is specified"]
    if limited > bound:
        return [f"{prose} {most}, but limit is {limit}"]
    return [f"{prose} {most}, but request is {request}"] if request is not None and requested > bound else []


def _ratio_errors(prose: str, most: Quantity, request: Quantity | None, limit: Quantity | None) -> list[str]:
    requested, limited, _ = _comparable(request, limit, most)
    if request is None or requested == 0:
        return [f"{prose} {most}, but no request is specified or request is 0"]
    if limit is None or limited == 0:
        return [f"{prose} {most}, but no limit is specified or limit is 0"]
    ratio = limited / requested
    precise = most.value <= _LARGEST_IN_MILLI
    if (ratio * 1000 if precise else ratio) > (float(most.milli_value) if precise else float(most.value)):
        return [f"{prose} {most}, but provided ratio is {ratio:f}"]
    return []
