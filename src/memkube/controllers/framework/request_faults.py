"""Faults that come over the controllers' own requests, where a rule asks for those as well."""

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
    """A controller's request as faults see it; its user agent is the controller's field manager."""

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
        """What is recorded of it."""

    def of_subresource(self, subresource: str) -> "ControllerAsker":
        """The same about a subresource; itself where there is none."""
        if subresource:
            self._asked = replace(self._asked, resource=f"{self._asked.resource}/{subresource}")
        return self

    def asked(self) -> RequestAttributes:
        """See Asker."""
        return self._asked

    def was_hit(self, fault: str) -> None:
        """Notes it in the log of requests, where the request is recorded."""
        if self.request is not None:
            self.request.record.hit_by(fault)


async def run_with_faults(registry: Registry, asker: ControllerAsker, work: Coroutine[Any, Any, T]) -> T:
    """What the work returns, where the faults let it. Raises ApiError, for a connection that is lost as well."""
    try:
        loses_answer = await _apply_faults(registry, asker)
    except BaseException:
        work.close()
        raise
    done = await work
    if loses_answer:
        raise _lost(asker)
    return done


async def apply_read_faults(registry: Registry, asker: ControllerAsker) -> None:
    """Lets the faults come over a read. Raises ApiError, for a connection that is lost as well."""
    if await _apply_faults(registry, asker):
        raise _lost(asker)


async def _apply_faults(registry: Registry, asker: ControllerAsker) -> bool:
    """Whether the answer is to be lost. To wait for the server's clock is no work."""
    try:
        with registry.clock.activity.set_aside():
            return await apply_request_faults(registry, asker, patience=None)
    except ConnectionDropped:
        raise _lost(asker) from None


def _lost(asker: ControllerAsker) -> ApiError:
    asked = asker.asked()
    return unclassified(f"{asked.verb} {asked.resource} {asked.namespace}/{asked.name}: EOF")
