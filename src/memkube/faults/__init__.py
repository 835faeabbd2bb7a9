"""Fault injection: rules that select requests, and effects that are applied to these requests.

::

   from memkube import faults

   with kube.faults.add(faults.error(429, retry_after=1), verb="create", resource="pods", first=2) as fault:
       run_the_operator()
   assert fault.hits == 2

This package stores rules, matches requests and counts hits. The code that handles a request calls
`memkube.faults.active.Faults` and applies the effect; without rules, this costs one attribute access. Modules of this
package do not import code for storage, HTTP or clocks.
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
    """Import an exported name when it is first used, because a server without rules does not need it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES.get(name, "memkube.faults.shorthand")), name)
    globals()[name] = value
    return value
