"""The states of a container, and how it comes from one to the next: whether and when it is run again, and its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.containers import Container, ContainerRestartRule
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.framework.saved_values import instant, instant_or_none
from memkube.controllers.kubelet.process import KILLED

FIRST_DELAY: Final = timedelta(seconds=10)
LONGEST_DELAY: Final = timedelta(minutes=5)
_NO_DELAY: Final = timedelta()
_LEAST_GRACE: Final = 2


class Waiting(NamedTuple):
    """A container that does not run."""

    reason: str = ""
    message: str = ""


class Running(NamedTuple):
    """A container that runs."""

    started: datetime


class Ended(NamedTuple):
    """A run that is over."""

    code: int
    reason: str
    started: datetime
    finished: datetime
    container_id: str
    message: str = ""


def saved_state(state: "State | None") -> Document | None:
    """What is to be kept of a state."""
    return None if state is None else {type(state).__name__.lower(): tuple(state)}


def restored_state(saved: Document | None) -> "State | None":
    """The state that was saved. Raises ValueError, TypeError and KeyError."""
    match saved:
        case None:
            return None
        case {"waiting": (reason, message)}:
            return Waiting(reason, message)
        case {"running": (started,)}:
            return Running(instant(started))
        case {"ended": (code, reason, started, finished, container_id, message)}:
            return Ended(code, reason, instant(started), instant(finished), container_id, message)
    raise ValueError(f"{saved} is no state of a container")


Role: TypeAlias = Literal["init", "sidecar", "app", "ephemeral"]
SPEC_FIELDS: Final[Mapping[Role, str]] = {
    "init": "initContainers",
    "sidecar": "initContainers",
    "app": "containers",
    "ephemeral": "ephemeralContainers",
}
"""Where the pod's spec has containers of each role."""
State: TypeAlias = Waiting | Running | Ended


def restarts(container: Container, spec: PodSpec, code: int) -> bool:
    """Whether the container is run again after an end with this code."""
    for rule in container.restartPolicyRules:
        if _applies(rule, code):
            return rule.action == "Restart"
    policy = container.restartPolicy or spec.restartPolicy
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def is_sidecar(container: Container) -> bool:
    """Whether an init container goes on running beside the others (KEP-753)."""
    return container.restartPolicy == "Always"


def _applies(rule: ContainerRestartRule, code: int) -> bool:
    if rule.exitCodes is None:
        return False
    is_listed = code in rule.exitCodes.values
    return is_listed if rule.exitCodes.operator == "In" else not is_listed


class Backoff:
    """Delays of 10 seconds, doubling to 5 minutes; after 10 quiet minutes they begin anew."""

    __slots__ = ("_updated", "delay")

    def __init__(self) -> None:
        self.delay = _NO_DELAY
        self._updated: datetime | None = None

    def waits(self, since: datetime, now: datetime) -> bool:
        """Whether an attempt is still too early after what happened at `since`."""
        return not self._is_over(since) and now - since < self.delay

    def lengthen(self, since: datetime, now: datetime) -> None:
        """An attempt is made because of what happened at `since`: the next delay is twice as long."""
        begins = self._is_over(since) or not self.delay
        self.delay = FIRST_DELAY if begins else min(self.delay * 2, LONGEST_DELAY)
        self._updated = now

    def saved(self) -> Document:
        """What is to be kept of it."""
        return {"seconds": self.delay.total_seconds(), "updated": self._updated}

    def restore(self, saved: Document) -> None:
        """Takes over what was saved. Raises ValueError, TypeError and KeyError."""
        self.delay, self._updated = timedelta(seconds=saved["seconds"]), instant_or_none(saved["updated"])

    def _is_over(self, since: datetime) -> bool:
        return self._updated is None or since - self._updated > 2 * LONGEST_DELAY


@dataclass(frozen=True, slots=True)
class Stopping:
    """When a run ends that has been told to, and the exit code that it ends with."""

    ends: datetime
    code: int
    signals: datetime
    """When its process gets TERM: after the preStop hook."""

    @classmethod
    def begin(cls, now: datetime, grace: int, hook: float, takes: float | None) -> "Stopping":
        """A run ends by itself after its preStop hook, or is killed when its time is up.

        `grace` and `hook` are seconds from `now`; `takes` is how many seconds the process needs after TERM, or None
        for one that ignores it.
        """
        longest = max(grace, hook + _LEAST_GRACE if hook >= grace else 0, _LEAST_GRACE)
        signals = now + timedelta(seconds=hook)
        if takes is not None and hook + takes < longest:
            return cls(now + timedelta(seconds=hook + takes), 0, signals)
        return cls(now + timedelta(seconds=longest), KILLED, signals)
