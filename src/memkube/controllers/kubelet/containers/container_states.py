"""States of a container, restart policies, and the end of a container that is stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.containers import Container, ContainerRestartRule
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.framework.backoff import Backoff
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.kubelet.containers.process import KILLED

_LEAST_GRACE: Final = 2
_FIRST_DELAY: Final = timedelta(seconds=10)
_LONGEST_DELAY: Final = timedelta(minutes=5)


class Waiting(NamedTuple):
    """Reason and message of a container that waits to run."""

    reason: str = ""
    message: str = ""


class Running(NamedTuple):
    """State of a running container: the time of its start."""

    started: datetime


class Ended(NamedTuple):
    """Exit code, reason and times of a container that has ended."""

    code: int
    reason: str
    started: datetime
    finished: datetime
    container_id: str
    message: str = ""


def saved_state(state: "State | None") -> Document | None:
    """Return the state of a container as JSON data, for a snapshot."""
    return None if state is None else {type(state).__name__.lower(): tuple(state)}


def restored_state(saved: Document | None) -> "State | None":
    """Decode the state of a container. Raises ValueError, TypeError or KeyError for malformed data."""
    match saved:
        case None:
            return None
        case {"waiting": (reason, message)}:
            return Waiting(reason, message)
        case {"running": (started,)}:
            return Running(instant(started))
        case {"ended": (code, reason, started, finished, container_id, message)}:
            return Ended(code, reason, instant(started), instant(finished), container_id, message)
    raise ValueError(f"{saved} is not a container state")


Role: TypeAlias = Literal["init", "sidecar", "app", "ephemeral"]
SPEC_FIELDS: Final[Mapping[Role, str]] = {
    "init": "initContainers",
    "sidecar": "initContainers",
    "app": "containers",
    "ephemeral": "ephemeralContainers",
}
"""Name of the field in a pod's spec, for each type of container: init, regular and ephemeral."""
State: TypeAlias = Waiting | Running | Ended


def restarts(container: Container, spec: PodSpec, code: int) -> bool:
    """True if the kubelet restarts the container after it has ended with this exit code."""
    for rule in container.restartPolicyRules:
        if _applies(rule, code):
            return rule.action == "Restart"
    policy = container.restartPolicy or spec.restartPolicy
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def restarts_after_kill(container: Container, spec: PodSpec) -> bool:
    """True if the kubelet restarts a container that it has stopped because of a probe, whatever its exit code is."""
    return (container.restartPolicy or spec.restartPolicy) != "Never"


def is_sidecar(container: Container) -> bool:
    """True if an init container is a sidecar, which keeps running beside the main containers (KEP-753)."""
    return container.restartPolicy == "Always"


def _applies(rule: ContainerRestartRule, code: int) -> bool:
    if rule.exitCodes is None:
        return False
    is_listed = code in rule.exitCodes.values
    return is_listed if rule.exitCodes.operator == "In" else not is_listed


def new_backoff() -> Backoff:
    """Return a new back-off for restarts or image pulls: 10 seconds at first, doubling up to 5 minutes."""
    return Backoff(_FIRST_DELAY, _LONGEST_DELAY)


class Turn(NamedTuple):
    """Wait of a sidecar that is being stopped, until all containers that must end before it have ended."""

    since: datetime
    """End of the sidecar's preStop hook."""
    grace: int
    """Seconds of the grace period that are left at the time `since`."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """Plan for stopping a container: when its process ends, and with which exit code (``killContainer``)."""

    ends: datetime
    code: int
    signals: datetime
    """Time at which the process gets the signal TERM: after the preStop hook, and after the wait in `turn`."""
    turn: Turn | None = None
    """Wait of a sidecar for other containers; None if it does not wait.

    During the wait, the plan assumes that the other containers run until the end of the grace period.
    """

    @classmethod
    def begin(cls, now: datetime, grace: int, hook: float, takes: float | None, *, waits: bool = False) -> "Stopping":
        """Plan how a stopped container ends: by TERM, or by KILL at the end of the grace period.

        `grace` is the grace period and `hook` the duration of the preStop hook, in seconds from `now`. `takes` is the
        number of seconds that the process needs after TERM, or None if it ignores TERM. If `waits` is True, the process
        gets TERM when `take_turn` is called, or at the end of the grace period.
        """
        hook_ends, left = now + timedelta(seconds=hook), grace - int(hook)
        if waits and left > 0:
            latest = cls._signalled(hook_ends + timedelta(seconds=left), 0, takes)
            return replace(latest, turn=Turn(hook_ends, left))
        return cls._signalled(hook_ends, left, takes)

    def take_turn(self, now: datetime, takes: float | None) -> "Stopping":
        """Return the new plan if the container no longer waits for other containers: it gets TERM at the time `now`.

        If the container does not wait, the plan is unchanged. `takes` has the same meaning as for `begin`.
        """
        if self.turn is None:
            return self
        begun = max(now, self.turn.since)
        waited = (begun - self.turn.since).total_seconds()
        return self._signalled(begun, self.turn.grace - int(waited), takes)

    @property
    def hook_ends(self) -> datetime:
        """Time at which the preStop hook has ended."""
        return self.signals if self.turn is None else self.turn.since

    @classmethod
    def _signalled(cls, signals: datetime, grace: int, takes: float | None) -> "Stopping":
        longest = max(grace, _LEAST_GRACE)
        if takes is not None and takes < longest:
            return cls(signals + timedelta(seconds=takes), 0, signals)
        return cls(signals + timedelta(seconds=longest), KILLED, signals)
