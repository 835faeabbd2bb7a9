"""Plans: which disturbances are applied during a run of the workload, and after which steps they begin and end."""

from typing import Any, Final, Literal

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel

START = -1
"""Step number of the operator's start, which precedes step 0 of the workload."""
_LAGGING: Final = ("delay", "delayEvents", "staleReads")
"""Types of fault effects that keep an operator from seeing current objects or from writing."""


class Disturbance(StrictModel):
    """A disturbance of operators during some steps of the workload: a fault, a restart, or the loss of a lease."""

    fault: dict[str, Any] | None = Field(
        default=None, description="A fault as in the control API: match, when and effect."
    )
    after: int = Field(default=START, ge=START, description="Step after which the disturbance begins, counted from 0.")
    until: int | None = Field(
        default=None, description="Step after which the disturbance ends; by default, the last step."
    )
    lasts: float | None = Field(
        default=None, gt=0, description="Seconds of real time after which the disturbance ends."
    )
    kills: bool = Field(default=False, description="Kill the operator when the fault is applied, and start it again.")
    restarts: bool = Field(default=False, description="Kill the operator at the beginning, and start it again.")
    stops: bool = Field(default=False, description="Kill the operator at the beginning, and start it at the end.")
    relists: bool = Field(default=False, description="Expire the watches at the end, and compact the history.")
    takes_lease: bool = Field(default=False, description="Take the operator's leases, as another process would.")
    view: int | None = Field(
        default=None, ge=START, description="Step after which lists with resourceVersion=0 show no newer changes."
    )

    @property
    def lets_lag(self) -> bool:
        """True if an operator without bugs may fail to reach the expected objects until the disturbance ends."""
        effect = self.fault["effect"]["type"] if self.fault else ""
        return effect in _LAGGING or bool(self.lasts) or self.stops or self.takes_lease


class Plan(StrictModel):
    """The disturbances of one run, and the pattern of bugs that they are meant to reveal."""

    pattern: Literal[
        "crash",
        "lost-reply",
        "stale",
        "unobserved",
        "another-writer",
        "history",
        "conflict",
        "lease-lost",
        "inputs",
        "restart",
        "overload",
        "outage",
    ]
    about: str = Field(description="Description of the disturbances, in one line.")
    disturbances: list[Disturbance]
    target: str = Field(default="", exclude=True, description="The request, watch or step that is disturbed.")
    promise: float = Field(default=0, exclude=True, description="Priority of the plan: higher numbers are tried first.")
