"""What a simulated container does, as far as a test decides it."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ProbeType: TypeAlias = Literal["startup", "liveness", "readiness"]
_OUT_OF_MEMORY_EXIT_CODE: Final = 137


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProbeBehavior(_Strict):
    """When a probe succeeds: from `succeedsAfterSeconds` of a container's run until `failsAfterSeconds`."""

    succeedsAfterSeconds: Seconds = 0
    failsAfterSeconds: Seconds | None = None
    message: str = Field(default="", description="What a failure says instead of the usual text.")

    def succeeds(self, seconds: float) -> bool:
        """The result after so many seconds of the run."""
        if self.failsAfterSeconds is not None and seconds >= self.failsAfterSeconds:
            return False
        return seconds >= self.succeedsAfterSeconds


class LogBehavior(_Strict):
    """Lines that a container writes: all of them at once, or one after another, over and over."""

    lines: tuple[str, ...]
    everySeconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class ContainerBehavior(_Strict):
    """What a container does, as far as it is set.

    The rest is left to the container's command. Where that says nothing either, a container starts at once, is
    ready, and runs on, to the end of its grace period if it is told to stop.
    """

    pullSeconds: Seconds = Field(default=0, description="How long the image takes to be pulled.")
    pullError: str = Field(default="", description="Why the image cannot be pulled.")
    startDelaySeconds: Seconds = Field(default=0, description="How long the container takes to be started.")
    exitCode: Annotated[int, Field(ge=0, le=255)] | None = Field(default=None, description="How it ends by itself.")
    exitAfterSeconds: Seconds = Field(default=0, description="How long it runs before it ends by itself.")
    exitTimes: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many runs end by themselves, before one runs on; all of them if not set."
    )
    outOfMemory: bool = Field(default=False, description="Whether it ends because its memory is used up.")
    stopSeconds: Seconds | None = Field(
        default=None, description="How long it takes to end with code 0 once it is told to stop."
    )
    probes: dict[ProbeType, ProbeBehavior] = Field(default_factory=dict, description="When its probes succeed.")
    log: LogBehavior | None = Field(default=None, description="What it writes.")

    @model_validator(mode="after")
    def _is_consistent(self) -> "ContainerBehavior":
        ends = self.exitCode is not None or self.outOfMemory
        if not ends and (self.exitAfterSeconds or self.exitTimes):
            raise ValueError("exitAfterSeconds and exitTimes need an exitCode or outOfMemory")
        if self.outOfMemory and self.exitCode not in (None, _OUT_OF_MEMORY_EXIT_CODE):
            raise ValueError("a container whose memory is used up ends with code 137")
        return self

    @property
    def plays(self) -> bool:
        """Whether this decides what the container's process does, so that its command does not count."""
        return self.exitCode is not None or self.outOfMemory or self.log is not None

    def ends_run(self, restarts: int) -> bool:
        """Whether the run after so many restarts ends by itself."""
        ends = self.exitCode is not None or self.outOfMemory
        return ends and (self.exitTimes is None or restarts < self.exitTimes)
