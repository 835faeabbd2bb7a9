"""Injects faults into requests of controllers, if fault rules match the requests."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.faults.active import ConnectionDropped
from memkube.faults.attributes import RequestAttributes
from memkube.registry.declarations.request_options import LOOPBACK, User
from memkube.registry.declarations.resource import Resource
from memkube.registry.fault_injection import apply_request_faults
from memkube.registry.registry import Registry
from memkube.telemetry.request_log import UnderWay

T = TypeVar("T")


class ControllerAsker:
    """Attributes of a controller's request, such as its verb, for comparison with fault rules.

    Its user agent is the controller's field manager.
    """

    def __init__(
        self,
        manager: str,
        verb: str,
        resource: Resource,
        namespace: str = "",
        name: str = "",
        user: User = LOOPBACK,
    ) -> None:
        self._asked = RequestAttributes(
            verb=verb,
            group=resource.group,
            resource=resource.plural,
            namespace=namespace,
            name=name,
            user=user.name,
            user_agent=manager,
            is_controller=True,
        )
        self.request: UnderWay | None = None
        """Record of the request in the request log; None if requests of controllers are not logged."""

    def of_subresource(self, subresource: str) -> "ControllerAsker":
        """Change the resource to ``RESOURCE/SUBRESOURCE``, unless `subresource` is empty. Returns this object."""
        if subresource:
            self._asked = self._asked._replace(resource=f"{self._asked.resource}/{subresource}")
        return self

    def asked(self) -> RequestAttributes:
        return self._asked

    def was_hit(self, fault: str) -> None:
        if self.request is not None:
            self.request.record.hit_by(fault)


async def run_with_faults(registry: Registry, asker: ControllerAsker, work: Coroutine[Any, Any, T]) -> T:
    """Run the controller's request `work` with injected faults, and return its result.

    `asker` describes the request, for the comparison with fault rules. Raises ApiError if a fault returns an error or
    drops the connection. If a fault drops only the response, the request is carried out before ApiError is raised.
    """
    try:
        drops_answer = await _inject(registry, asker)
    except BaseException:
        work.close()
        raise
    done = await work
    if drops_answer:
        raise _dropped(asker)
    return done


async def apply_read_faults(registry: Registry, asker: ControllerAsker) -> None:
    """Inject faults into a controller's list or watch request, which `asker` describes.

    Raises ApiError if a fault returns an error or drops the connection.
    """
    if await _inject(registry, asker):
        raise _dropped(asker)


async def _inject(registry: Registry, asker: ControllerAsker) -> bool:
    """Inject the faults that match a request before it is carried out. `asker` describes the request.

    Returns True if the connection must be dropped after the request. Raises ApiError if a fault returns an error.
    """
    try:
        # A clock that moves only when a client advances it (SteppedClock) waits until the server has no activity. It
        # must be able to advance while an injected delay waits for it, so the delay does not count as activity.
        with registry.clock.activity.set_aside():
            return await apply_request_faults(registry, asker, max_wait=None)
    except ConnectionDropped:
        raise _dropped(asker) from None


def _dropped(asker: ControllerAsker) -> ApiError:
    asked = asker.asked()
    return unclassified(f"{asked.verb} {asked.resource} {asked.namespace}/{asked.name}: EOF")
