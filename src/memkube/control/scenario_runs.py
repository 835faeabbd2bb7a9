"""The scenarios that are played on a server: their steps, which of them have happened, and the results.

The package `memkube.scenarios` plays the scenarios, in threads other than the server's. It records here what has
happened, and the control API and the web page show it.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

MOST_KEPT: Final = 20
"""Maximum number of scenarios of which a server keeps the results."""
_CLOSE_SECONDS: Final = 5.0
"""Maximum number of seconds for which a server that stops waits for the end of its scenario."""

PlayState: TypeAlias = Literal["playing", "passed", "failed", "stopped"]


class ScenarioPlaying(Exception):
    """Raised if a scenario is to be played while another one is being played on the server."""


class Occasion(NamedTuple):
    """A time at which the action of a scenario's step is performed or undone."""

    instant: datetime
    is_begin: bool
    """True if the action is performed, False if it is undone."""


@dataclass(slots=True)
class PlannedStep:
    """A step of a scenario, with all times at which its action is performed or undone."""

    text: str
    """Description for the user: the name of the step, or its action."""
    action: str
    details: Mapping[str, Any]
    """The action as in the scenario's file, as JSON data."""
    occasions: Sequence[Occasion]
    """Times of the step, in order. The step of a scenario that ends early may have none."""
    happened: int = 0
    """Number of the `occasions` that are over."""

    @property
    def next(self) -> Occasion | None:
        """The next time at which the step's action is performed or undone; None if there is no further one."""
        return self.occasions[self.happened] if self.happened < len(self.occasions) else None

    @property
    def is_active(self) -> bool:
        """True if the action is in effect: it was performed, and will be undone later."""
        if not self.happened or not self.occasions[self.happened - 1].is_begin:
            return False
        return any(not one.is_begin for one in self.occasions[self.happened :])


@dataclass(frozen=True, slots=True)
class ScenarioPlan:
    """A scenario with its start, its end and the times of its steps, all on the server's clock."""

    name: str
    start: datetime
    end: datetime
    steps: Sequence[PlannedStep]
    ignored: Sequence[str] = ()
    """Fields of the scenario that have no effect, because they are options for starting a server."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """Result of a played scenario: the numbers of its steps, Events, pods and changes."""

    steps: int
    """Number of actions that were performed; a step that is repeated counts each time."""
    events: Mapping[str, int]
    """Number of Events by reason, the most frequent first."""
    pods: Mapping[str, int]
    """Number of pods by phase, at the end of the scenario."""
    changes: int
    digest: str
    """SHA-256 of the event log."""


@dataclass(slots=True)
class ScenarioRun:
    """A scenario that is being played or was played on a server.

    The playing thread writes it, and the server's thread reads it.
    """

    number: int
    plan: ScenarioPlan
    state: PlayState = "playing"
    failures: list[str] = field(default_factory=list)
    """One line for each expectation that was not met, and for each step that was refused."""
    ended: datetime | None = None
    """Time of the server's clock at which the scenario ended; None while it is being played."""
    result: PlayResult | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Ask the playing thread to end the scenario. Effects of its steps are not undone."""
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        """True if the scenario is to end early."""
        return self._stopping.is_set()

    def pause(self, seconds: float) -> None:
        """Wait in the playing thread for `seconds` of real time, or until the scenario is stopped."""
        self._stopping.wait(seconds)

    def end(self, now: datetime, result: PlayResult | None) -> None:
        """Record that the scenario is over, at the time `now` of the server's clock."""
        self.ended, self.result = now, result
        self.state = "failed" if self.failures else "stopped" if self.is_stopping else "passed"
        self._over.set()

    def wait(self, seconds: float) -> bool:
        """Wait until the scenario is over, at most `seconds` of real time. Return False if it is not over then."""
        return self._over.wait(seconds)


class PreparedScenario(NamedTuple):
    """A valid scenario that can be played on a server."""

    plan: ScenarioPlan
    play: Callable[[ScenarioRun], object]
    """Function that plays the scenario and returns at its end. It must not be called in the server's thread."""


class ScenarioPlayer(Protocol):
    """Plays scenarios that clients of the control API send."""

    def prepare(self, document: Mapping[str, Any], speed: float | None) -> PreparedScenario:
        """Read a scenario, and return it ready to be played. Don't call this method in the server's thread.

        `speed` is the number of seconds of the server's clock per second of real time; None for as fast as possible.
        Raises UsageError for a scenario that is not valid, or that names files.
        """


class ScenarioRuns:
    """The scenarios of one server. One scenario is played at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[int, ScenarioRun] = {}
        self._count = 0
        self.player: ScenarioPlayer | None = None
        """Plays the scenarios that clients send; None if the program that started the server has set no player."""

    def begin(self, plan: ScenarioPlan) -> ScenarioRun:
        """Record that a scenario begins. If more than MOST_KEPT scenarios are recorded, the oldest one is removed.

        Raises ScenarioPlaying if another scenario is being played.
        """
        with self._lock:
            playing = next((one for one in self._runs.values() if one.state == "playing"), None)
            if playing is not None:
                raise ScenarioPlaying(
                    f"scenario {playing.number} ({playing.plan.name or 'without a name'}) is being played: "
                    "stop it, or wait for its end"
                )
            self._count += 1
            run = self._runs[self._count] = ScenarioRun(self._count, plan)
            while len(self._runs) > MOST_KEPT:
                del self._runs[min(self._runs)]
            return run

    def newest_first(self) -> list[ScenarioRun]:
        """Return the recorded scenarios, also those that have ended. The one that began last comes first."""
        with self._lock:
            return list(reversed(self._runs.values()))

    def get(self, number: int) -> ScenarioRun:
        """Return the scenario with this number. Raises KeyError if there was none, or if its record was removed."""
        return self._runs[number]

    async def close(self) -> None:
        """End the scenario that is being played, because the server stops.

        The thread that plays the scenario needs the running server to record the end of the scenario. So this method
        waits for the thread, but only for a limited time.
        """
        self.player = None
        for run in self.newest_first():
            run.stop()
            if run.state == "playing":
                await asyncio.to_thread(run.wait, _CLOSE_SECONDS)
