"""What goes wrong on request: rules about requests, and what they do to those that they are about.

::

    from memkube import faults

    with kube.faults.add(faults.error(429, retry_after=1), verb="create", resource="pods", first=2) as fault:
        run_the_operator()
    assert fault.hits == 2

Rules are kept, matched and counted here, and nothing is done about them: whoever carries out a request asks
`memkube.faults.active.Faults` first, for one look where there is no rule. Nothing here knows storage, HTTP or a clock.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkube.faults.effects import Effect
    from memkube.faults.rules import FaultRule, Match, Occasions
    from memkube.faults.shorthand import (
        clock_drift,
        close_watch,
        compact_history,
        delay,
        delay_events,
        drop,
        error,
        hold_events,
        stale_reads,
        webhook_timeout,
        withhold_bookmarks,
    )

__all__ = [
    "Effect",
    "FaultRule",
    "Match",
    "Occasions",
    "clock_drift",
    "close_watch",
    "compact_history",
    "delay",
    "delay_events",
    "drop",
    "error",
    "hold_events",
    "stale_reads",
    "webhook_timeout",
    "withhold_bookmarks",
]

_MODULES = {
    "Effect": "memkube.faults.effects",
    "FaultRule": "memkube.faults.rules",
    "Match": "memkube.faults.rules",
    "Occasions": "memkube.faults.rules",
}


def __getattr__(name: str) -> Any:
    """Imports what is exported when it is first asked for: a server without rules needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES.get(name, "memkube.faults.shorthand")), name)
    globals()[name] = value
    return value
