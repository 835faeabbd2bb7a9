"""Plans: the faults that are added to a run of the workload, and the steps at which they exist."""

from typing import Any, Literal

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel

START = -1
"""The number of the step before the first one: the start of the operator."""


class Disturbance(StrictModel):
    """A fault that exists during some steps of the workload. The operator may be killed when it is applied."""

    fault: dict[str, Any] = Field(description="A fault as in the control API: match, when and effect.")
    after: int = Field(default=START, ge=START, description="The fault is added after this step, counted from 0.")
    until: int | None = Field(default=None, description="It is removed after this step; at the end by default.")
    kills: bool = Field(default=False, description="Kill the operator when the fault hits, and start it again.")
    lasts: float | None = Field(default=None, gt=0, description="Remove it after so many seconds of real time.")
    relists: bool = Field(default=False, description="When it is removed, let watches expire first, without history.")
    restarts: bool = Field(default=False, description="Kill the operator after the step, and start it again.")


class Plan(StrictModel):
    """The faults of one run, which disturb the operator in one way."""

    pattern: Literal[
        "crash", "lost-reply", "stale", "unobserved", "history", "conflict", "overload", "outage", "restart"
    ]
    about: str = Field(description="What is disturbed, in one line.")
    disturbances: list[Disturbance]
    promise: float = Field(default=0, exclude=True, description="Plans of a higher number are tried first.")
