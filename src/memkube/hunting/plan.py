"""A plan for one run: which disturbances are applied, and after which steps they begin and end."""

from typing import Any, Final, Literal

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel
from memkube.hunting.description import Step

START = -1
"""Number of the operator's start in the steps of a run. Step 0 is the first step of the workload."""
_LAGGING: Final = ("delay", "delayEvents", "staleReads")
"""Types of faults that keep an operator from seeing the newest objects or from writing."""


class Disturbance(StrictModel):
    """A disturbance of the operators during some steps of the workload: a fault, a restart, or the loss of a Lease."""

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
    stays_away: bool = Field(
        default=False, description="If the disturbance kills the operator, start it again only at the end."
    )
    restarts: bool = Field(default=False, description="Kill the operator at the beginning, and start it again.")
    stops: bool = Field(default=False, description="Kill the operator at the beginning, and start it at the end.")
    relists: bool = Field(
        default=False, description="When the disturbance ends, expire the watches and compact the history."
    )
    takes_lease: bool = Field(
        default=False, description="Take over the operator's leases, as another process would that becomes the leader."
    )
    pauses: bool = Field(default=False, description="Pause the operator with SIGSTOP until the disturbance ends.")
    races: bool = Field(
        default=False, description="Annotate the object whose write the fault holds back, then let the write continue."
    )
    touches: list[str] = Field(
        default=[],
        description="Resources whose objects are annotated at the beginning; the annotation is removed at the end.",
    )
    view: int | None = Field(
        default=None,
        ge=START,
        description="Step after which the state is kept that later lists with resourceVersion=0 show.",
    )

    @property
    def lets_lag(self) -> bool:
        """True if the expected objects may be missing until this disturbance ends, even if the operator has no bug."""
        effect = self.fault["effect"]["type"] if self.fault else ""
        is_lagging = effect in _LAGGING and not self.races
        return is_lagging or bool(self.lasts) or self.stops or self.stays_away or self.pauses or self.takes_lease

    @property
    def is_brief(self) -> bool:
        """True if the operator does not notice when the disturbance ends, so that the run need not wait afterwards."""
        return not (self.lets_lag or self.restarts or self.relists or self.touches)


class Plan(StrictModel):
    """A plan for one run: its disturbances, and the pattern of bugs that they are meant to reveal."""

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
        "clock",
    ]
    about: str = Field(description="Description of the disturbances, in one line.")
    disturbances: list[Disturbance]
    needs: list[int] = Field(
        default=[],
        description="Steps of the workload that the plan runs, counted from 0; all if empty. The numbers in the "
        "disturbances count only these steps.",
    )
    out_of: int = Field(default=0, description="Number of steps of the whole workload; 0 if `needs` is empty.")
    steps: list[Step] = Field(default=[], description="Further steps after those of the workload.")
    returns: bool = Field(
        default=False, description="True if the further steps also revert the changes that they make."
    )
    is_typed: bool = Field(
        default=False, description="True if a schema with required fields allows the values in the further steps."
    )
    is_new: bool = Field(
        default=False, description="True if the workload does not change the field that the further steps change."
    )
    at: int | None = Field(
        default=None,
        exclude=True,
        description="The only step that the plan disturbs; None if it disturbs several steps.",
    )
    target: str = Field(default="", exclude=True, description="The request, watch or step that is disturbed.")
    promise: float = Field(default=0, exclude=True, description="Priority of the plan: higher numbers are tried first.")

    @property
    def begins_late(self) -> bool:
        """True if the operator creates all its objects late in the run.

        It is first started after further steps, or a further step applies a resource again. The operator may then need
        as much time as in a run without faults.
        """
        is_first_started = any(one.stops for one in self.disturbances)
        return any(step.apply is not None or is_first_started for step in self.steps)

    @property
    def needed_steps(self) -> str:
        """Text about the steps of the workload that the plan runs; "" if it runs all of them."""
        if not self.needs:
            return ""
        *first, last = [f"{step + 1}" for step in self.needs]
        steps = f"steps {', '.join(first)} and {last}" if first else f"step {last}"
        return f"needs only {steps} of {self.out_of}"

    def shown_number(self, step: int) -> int:
        """Return the number that users see for a step of the run: its position in the whole workload, from 1."""
        if step < len(self.needs):
            return self.needs[step] + 1
        return step + 1 + self.out_of - len(self.needs)
