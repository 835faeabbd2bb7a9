"""A plan for one run: which disturbances are applied, and after which steps they begin and end."""

from typing import Any, Final, Literal

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel
from memkube.hunting.description import Step

START = -1
"""Number that stands for the operator's start, which is before step 0, the first step of the workload."""
_LAGGING: Final = ("delay", "delayEvents", "staleReads")
"""Types of faults that keep an operator from seeing the newest objects or from writing."""


class Disturbance(StrictModel):
    """A disturbance of the operators during some steps of the workload, such as a fault or a restart."""

    fault: dict[str, Any] | None = Field(
        default=None, description="Fault to inject into requests, as in memkube's control API: match, when and effect."
    )
    after: int = Field(
        default=START,
        ge=START,
        description="Step of the workload after which the disturbance begins, counted from 0; -1 if it begins before "
        "the operator starts.",
    )
    until: int | None = Field(
        default=None, description="Step of the workload after which the disturbance ends; by default, the last step."
    )
    lasts: float | None = Field(
        default=None, gt=0, description="Maximum duration of the disturbance, in seconds of real time."
    )
    kills: bool = Field(
        default=False,
        description="True to kill the operator when the fault is applied to a request, and to start it again.",
    )
    stays_away: bool = Field(
        default=False, description="True to delay the restart after `kills` until the disturbance ends."
    )
    restarts: bool = Field(
        default=False,
        description="True to kill the operator when the disturbance begins, and to start it again at once.",
    )
    stops: bool = Field(
        default=False,
        description="True to kill the operator when the disturbance begins, and to start it again when it ends.",
    )
    relists: bool = Field(
        default=False, description="True to end watches with 410 and to compact the history when the disturbance ends."
    )
    takes_lease: bool = Field(
        default=False,
        description="True to write another holder into the operator's Leases, as if another process became the leader.",
    )
    pauses: bool = Field(
        default=False, description="True to pause the operator with SIGSTOP until the disturbance ends."
    )
    races: bool = Field(
        default=False,
        description="True to annotate an object, as another client would, while the fault delays the operator's write "
        "of the same object.",
    )
    touches: list[str] = Field(
        default=[],
        description="Resources, such as deployments.apps, whose objects memkube annotates, as another client would.",
    )
    view: int | None = Field(
        default=None,
        ge=START,
        description="Step of the workload, counted from 0: reads with resourceVersion=0 get the objects as they were "
        "after this step, as from a cache that has not been updated since.",
    )
    view_of_deletion: bool = Field(
        default=False,
        description="True if reads get the objects not as they were after the step `view`, but as they were at the "
        "last time during this step at which an object was terminating.",
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
    """A plan for one run: its disturbances, and the kind of bug (`pattern`) that they are meant to reveal."""

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
    about: str = Field(description="What happens to the operator, in one line for reports.")
    disturbances: list[Disturbance]
    needs: list[int] = Field(
        default=[],
        description="Steps of the workload that the plan runs, counted from 0; all if empty. The numbers in the "
        "disturbances count only these steps.",
    )
    out_of: int = Field(
        default=0,
        description="Number of steps of the whole workload if `needs` selects some of them; otherwise 0.",
    )
    steps: list[Step] = Field(
        default=[], description="Steps that change custom resources, and run after those of the workload."
    )
    returns: bool = Field(
        default=False, description="True if `steps` change fields and then set them to their old values again."
    )
    is_typed: bool = Field(
        default=False,
        description="True if the CRD's schema has required fields or defaults. Then it is a bug if the operator "
        "crashes or never stops writing because of `steps`.",
    )
    is_new: bool = Field(
        default=False, description="True if `steps` change a field that the workload itself never changes."
    )
    at: int | None = Field(
        default=None,
        exclude=True,
        description="The only step that the plan disturbs; None if it disturbs several steps.",
    )
    target: str = Field(
        default="",
        exclude=True,
        description="What the plan disturbs, for counting the plans: a verb and a resource, such as create pods or "
        "watch pods; a step of the workload, such as step 2; the lease; or generated inputs. In a replay, it is "
        "`about`.",
    )
    promise: float = Field(default=0, exclude=True, description="Priority of the plan: higher numbers are tried first.")

    @property
    def begins_late(self) -> bool:
        """True if the operator creates all its objects only in reaction to `steps`, at the end of the run.

        This is so if the operator is first started after them, or if one of them applies a custom resource. Such a run
        must wait for the operator's writes as long as a run without faults. With the shorter wait of other runs, it
        would end before the operator has written.
        """
        is_first_started = any(one.stops for one in self.disturbances)
        return any(step.apply is not None or is_first_started for step in self.steps)

    @property
    def needed_steps(self) -> str:
        """Text such as ``needs only steps 1 and 3 of 4``; "" if the plan runs all steps of the workload."""
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
