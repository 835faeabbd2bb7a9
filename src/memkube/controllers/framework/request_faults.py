"""Faults that are injected into requests of controllers, if a rule selects those."""

from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.faults.active import ConnectionDropped
from memkube.faults.attributes import RequestAttributes
from memkube.registry.declarations.request_options import LOOPBACK
from memkube.registry.declarations.resource import Resource
from memkube.registry.registry import Registry
from memkube.registry.request_faults import apply_request_faults
from memkube.telemetry.request_log import UnderWay

T = TypeVar("T")


class ControllerAsker:
    """A controller's request as fault rules match it. Its user agent is the controller's field manager."""

    def __init__(self, manager: str, verb: str, resource: Resource, namespace: str = "", name: str = "") -> None:
        self._asked = RequestAttributes(
            verb=verb,
            group=resource.group,
            resource=resource.plural,
            namespace=namespace,
            name=name,
            user=LOOPBACK.name,
            user_agent=manager,
            is_controller=True,
        )
        self.request: UnderWay | None = None
        """The request in the request log, if it is recorded."""

    def of_subresource(self, subresource: str) -> "ControllerAsker":
        """Change the request to one of a subresource, unless that is empty. Return the asker."""
        if subresource:
            self._asked = replace(self._asked, resource=f"{self._asked.resource}/{subresource}")
        return self

    def asked(self) -> RequestAttributes:
        return self._asked

    def was_hit(self, fault: str) -> None:
        if self.request is not None:
            self.request.record.hit_by(fault)


async def run_with_faults(registry: Registry, asker: ControllerAsker, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work` after injecting faults. Raises ApiError for an error or a dropped connection."""
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
    """Inject faults into a list or watch. Raises ApiError for an error or a dropped connection."""
    if await _inject(registry, asker):
        raise _dropped(asker)


async def _inject(registry: Registry, asker: ControllerAsker) -> bool:
    """Return True if the connection must be dropped after the request."""
    try:
        # A delay on the server's clock does not count as activity: a stepped clock has to pass it.
        with registry.clock.activity.set_aside():
            return await apply_request_faults(registry, asker, patience=None)
    except ConnectionDropped:
        raise _dropped(asker) from None


def _dropped(asker: ControllerAsker) -> ApiError:
    asked = asker.asked()
    return unclassified(f"{asked.verb} {asked.resource} {asked.namespace}/{asked.name}: EOF")
