"""Results of pod security checks, and common parts of their messages (``pod-security-admission/policy``)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext, SecurityContext
from memkube.apis.core.v1.podspec.validation.context import AnyContainer


class Finding(NamedTuple):
    """A violation of a pod security level."""

    reason: str
    detail: str


Check: TypeAlias = Callable[[ObjectMeta, PodSpec], Finding | None]
"""Function that checks the metadata and spec of a pod or pod template. Returns None if they pass the check."""
AnyContext: TypeAlias = SecurityContext | PodSecurityContext
T = TypeVar("T")


def containers_of(spec: PodSpec) -> Iterator[AnyContainer]:
    """Yield the init, regular and ephemeral containers of a pod, in the order in which messages name them."""
    yield from spec.initContainers
    yield from spec.containers
    yield from spec.ephemeralContainers


def names_of(spec: PodSpec, is_bad: Callable[[AnyContainer], object]) -> list[str]:
    """Return the names of the pod's containers for which `is_bad` returns True."""
    return [container.name for container in containers_of(spec) if is_bad(container)]


def values_of(spec: PodSpec, value_of: Callable[[AnyContext], T | None]) -> tuple[T | None, list[tuple[str, T | None]]]:
    """Return the value of a securityContext field in the pod, and a list of (container name, value in this container).

    The function `value_of` gets a securityContext and returns the field's value. The value is None if a pod or
    container has no securityContext.
    """
    own = None if spec.securityContext is None else value_of(spec.securityContext)
    contexts = ((c.name, c.securityContext) for c in containers_of(spec))
    return own, [(name, None if context is None else value_of(context)) for name, context in contexts]


def setters(pod: object, containers: Sequence[str]) -> str:
    """Return the subject of an error message: ``pod``, ``container "a"`` or ``pod and container "a"``.

    It names the pod if `pod` is true, and `containers`, the names of containers, if there are any. Without a pod and
    containers, it is "".
    """
    return " and ".join((*(["pod"] if pod else []), *([of_containers(containers)] if containers else [])))


def of_containers(names: Sequence[str]) -> str:
    """Format the names of containers as ``container "a"`` or ``containers "a", "b"``."""
    return f"{plural('container', names)} {listed(names)}"


def plural(noun: str, counted: Sequence[object]) -> str:
    """Return the noun for an error message: in the plural, unless the list `counted` has exactly one item."""
    return noun if len(counted) == 1 else f"{noun}s"


def use(counted: Sequence[object]) -> str:
    """Return the verb for an error message: ``uses`` if the list `counted` has one item, otherwise ``use``."""
    return "uses" if len(counted) == 1 else "use"


def listed(items: Iterable[str]) -> str:
    """Return items in quotes, joined by commas, without escaping."""
    return ", ".join(f'"{item}"' for item in items)
