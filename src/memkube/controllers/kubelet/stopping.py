"""How long a container takes to end that is told to."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memkube.controllers.kubelet.process import KILLED

_LEAST_GRACE: Final = 2


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
