"""Rules for fields of the pod and resources of containers that a container may read."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector, ResourceFieldSelector

_LABELS: Final = frozenset(
    {
        "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
        "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "spec.schedulerName",
        "status.phase", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
    }
)  # fmt: skip
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_BYTE_DIVISORS: Final = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_CPU_DETAIL: Final = "only divisor's values 1m and 1 are supported with the cpu resource"


def validate_field_selector(selector: ObjectFieldSelector, fields: Sequence[str], path: FieldPath) -> list[FieldError]:
    """The selector names one of `fields`, or a single label or annotation."""
    for name in ("apiVersion", "fieldPath"):
        if not getattr(selector, name):
            return [required(path.child(name))]
    error = _conversion_error(selector)
    if error:
        return [invalid(path.child("fieldPath"), selector.fieldPath, f"error converting fieldPath: {error}")]
    subscripted = _subscripted(selector.fieldPath)
    if subscripted is None:
        name = "spec.nodeName" if selector.fieldPath == "spec.host" else selector.fieldPath
        return [] if name in fields else [not_supported(path.child("fieldPath"), name, fields)]
    field, key = subscripted
    return validate_label_name(key.lower() if field == "metadata.annotations" else key, path)


def validate_resource_selector(
    selector: ResourceFieldSelector, path: FieldPath, *, of_volume: bool = False
) -> list[FieldError]:
    """The selector names a resource of a container, in units that suit it; a volume must name the container."""
    errors: list[FieldError] = []
    resource = selector.resource
    if of_volume and not selector.containerName:
        errors.append(required(path.child("containerName")))
    elif not resource:
        errors.append(required(path.child("resource")))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        errors.append(not_supported(path.child("resource"), resource, _RESOURCES))
    detail = _divisor_error(resource, selector.divisor)
    return [*errors, invalid(path.child("divisor"), resource, detail)] if detail else errors


def _conversion_error(selector: ObjectFieldSelector) -> str:
    if selector.apiVersion != "v1":
        return f"unsupported pod version: {selector.apiVersion}"
    subscripted = _subscripted(selector.fieldPath)
    if subscripted is not None:
        known = subscripted[0] in ("metadata.annotations", "metadata.labels")
        return "" if known else f"field label does not support subscript: {selector.fieldPath}"
    known = selector.fieldPath in _LABELS or selector.fieldPath == "spec.host"
    return "" if known else f"field label not supported: {selector.fieldPath}"


def _subscripted(field_path: str) -> tuple[str, str] | None:
    """The field and the key of ``metadata.labels['key']``."""
    if not field_path.endswith("']"):
        return None
    field, bracket, key = field_path[:-2].partition("['")
    return (field, key) if field and bracket else None


def _divisor_error(resource: str, divisor: Quantity) -> str:
    if divisor.nano == 0:
        return ""
    kind = resource.partition(".")[2] if resource in _RESOURCES else ""
    if kind == "cpu":
        return "" if divisor in ("1m", "1") else _CPU_DETAIL
    prose = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}.get(kind)
    if resource.startswith(_HUGE_PAGES):
        prose = "hugepages"
    if prose is None or divisor in _BYTE_DIVISORS:
        return ""
    return f"only divisor's values {', '.join(_BYTE_DIVISORS)} are supported with the {prose} resource"
