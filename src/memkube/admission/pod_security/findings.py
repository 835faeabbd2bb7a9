"""What a check of a pod says, and the phrases that checks share (``pod-security-admission/policy``)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext, SecurityContext
from memkube.apis.core.v1.podspec.validation.context import AnyContainer


class Finding(NamedTuple):
    """Why a pod is not allowed."""

    reason: str
    detail: str


Check: TypeAlias = Callable[[ObjectMeta, PodSpec], Finding | None]
"""Looks at the metadata and the spec of a pod or of a template; None where nothing speaks against it."""
AnyContext: TypeAlias = SecurityContext | PodSecurityContext
T = TypeVar("T")


def containers_of(spec: PodSpec) -> Iterator[AnyContainer]:
    """All containers in the order of messages."""
    yield from spec.initContainers
    yield from spec.containers
    yield from spec.ephemeralContainers


def names_of(spec: PodSpec, is_bad: Callable[[AnyContainer], object]) -> list[str]:
    """The names of the containers that something is wrong with."""
    return [container.name for container in containers_of(spec) if is_bad(container)]


def values_of(spec: PodSpec, value_of: Callable[[AnyContext], T | None]) -> tuple[T | None, list[tuple[str, T | None]]]:
    """What the pod sets in its security context, and what each container, by its name, sets in its own."""
    own = None if spec.securityContext is None else value_of(spec.securityContext)
    contexts = ((c.name, c.securityContext) for c in containers_of(spec))
    return own, [(name, None if context is None else value_of(context)) for name, context in contexts]


def setters(pod: object, containers: Sequence[str]) -> str:
    """Who sets something bad: the pod, containers or both; empty where nobody does."""
    return " and ".join((*(["pod"] if pod else []), *([of_containers(containers)] if containers else [])))


def of_containers(names: Sequence[str]) -> str:
    """``containers "a", "b"``."""
    return f"{plural('container', names)} {listed(names)}"


def plural(noun: str, counted: Sequence[object]) -> str:
    """The noun for so many."""
    return noun if len(counted) == 1 else f"{noun}s"


def use(counted: Sequence[object]) -> str:
    """``uses`` for one, ``use`` for several."""
    return "uses" if len(counted) == 1 else "use"


def listed(items: Iterable[str]) -> str:
    """The items between quotation marks, as they are."""
    return ", ".join(f'"{item}"' for item in items)
