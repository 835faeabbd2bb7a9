"""The value of the annotation ``endpoints.kubernetes.io/last-change-trigger-time`` (``TriggerTimeTracker``)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from memkube.controllers.endpoints.endpoint_pods import EndpointPod
from memkube.controllers.endpoints.selected_pods import Key
from memkube.registry.objects.stored import StoredObject

LAST_CHANGE: Final = "endpoints.kubernetes.io/last-change-trigger-time"
"""Name of the annotation with the time of the change that triggered the newest revision of the endpoints."""


@dataclass(slots=True)
class _Times:
    service: str = ""
    pods: dict[str, str] = field(default_factory=dict)


class TriggerTimes:
    """Times at which Services and their pods have changed, as seen when their endpoints were last computed.

    Times are texts of the form ``2006-01-02T15:04:05Z``, so that their alphabetical order is their temporal order.
    """

    def __init__(self) -> None:
        self._seen: dict[Key, _Times] = {}

    def next(self, service: StoredObject, pods: Iterable[EndpointPod]) -> str:
        """Return the time for the annotation ``last-change-trigger-time`` of a Service's endpoints.

        It is the earliest time at which the Service or one of its pods has changed since the last call, or the
        Service's creationTimestamp at the first call. If nothing has changed, the result is empty.
        """
        created: str = service.document["metadata"]["creationTimestamp"]
        key = service.namespace, service.name
        before = self._seen.get(key)
        now = _Times(created, {pod.name: pod.trigger_time for pod in pods if pod.trigger_time})
        self._seen[key] = now
        if before is None:
            return created
        changed = [time for name, time in now.pods.items() if time > before.pods.get(name, "")]
        if created > before.service:
            changed.append(created)
        return min(changed, default="")

    def forget(self, service: Key) -> None:
        """Remove the recorded times of a deleted Service."""
        self._seen.pop(service, None)
