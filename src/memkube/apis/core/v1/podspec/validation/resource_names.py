"""What the names of resources mean (``pkg/apis/core/helper``)."""

from typing import Final

from memkube.apimachinery.names import is_qualified_name
from memkube.apimachinery.quantity import Quantity

HUGE_PAGES: Final = "hugepages-"
_QUOTA_HUGE_PAGES: Final = ("hugepages-", "requests.hugepages-")
_COUNTED: Final = frozenset(
    {
        "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
    }
)  # fmt: skip
_STANDARD: Final = _COUNTED | {
    "cpu", "memory", "ephemeral-storage", "storage", "requests.storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu", "limits.memory", "limits.ephemeral-storage",
}  # fmt: skip


def is_standard_resource(name: str) -> bool:
    """Whether the name needs no domain."""
    return name in _STANDARD or name.startswith(_QUOTA_HUGE_PAGES)


def is_standard_container_resource(name: str) -> bool:
    """Whether a container may ask for the resource, which has no domain."""
    return name in ("cpu", "memory", "ephemeral-storage") or name.startswith(HUGE_PAGES)


def is_native_resource(name: str) -> bool:
    """Whether the resource belongs to Kubernetes itself."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended_resource(name: str) -> bool:
    """Whether the resource is one that a vendor adds to nodes."""
    if is_native_resource(name) or name.startswith("requests."):
        return False
    return not is_qualified_name(f"requests.{name}")


def is_counted_resource(name: str) -> bool:
    """Whether the resource comes in whole pieces."""
    return name in _COUNTED or is_extended_resource(name)


def may_overcommit(name: str) -> bool:
    """Whether a request may be lower than the limit."""
    return is_native_resource(name) and not name.startswith(HUGE_PAGES)


def is_whole_pages(name: str, quantity: Quantity) -> bool:
    """Whether a quantity is a multiple of the page size that the resource's name tells."""
    try:
        page = Quantity.parse(name.removeprefix(HUGE_PAGES))
    except ValueError:
        return False
    return page.nano > 0 and page.milli_value % 1000 == 0 and quantity.value % page.value == 0
