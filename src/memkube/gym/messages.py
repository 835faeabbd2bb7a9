"""Pydantic models of actions, observations and states, with the fields that OpenEnv's clients expect."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Action(BaseModel):
    """An action of an agent: a command line."""

    model_config = ConfigDict(extra="forbid")

    command: str = Field(
        max_length=100_000,
        description="Command line: kubectl with arguments, and a here-document for -f -; sleep SECONDS; or exit.",
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Ignored. It is here because OpenEnv's actions have this field."
    )


class Observation(BaseModel):
    """The output that an agent gets after a reset or an action."""

    model_config = ConfigDict(extra="forbid")

    output: str = Field(default="", description="Output of the command; after a reset, the text of the task.")
    exit_code: int = Field(default=0, description="Exit code of the command; 0 after a reset or `exit`.")

    def visible(self) -> dict[str, Any]:
        """Return the observation as a dictionary, the form that Gymnasium's ``step`` returns."""
        return self.model_dump()


class State(BaseModel):
    """State of an episode. The reward and its reasons are set only after the episode has ended."""

    model_config = ConfigDict(extra="forbid")

    episode_id: str | None = Field(default=None, description="Name by which requests select the episode.")
    step_count: int = Field(default=0, ge=0, description="Number of actions that the agent has taken in this episode.")
    task: str = Field(default="", description="Name of the task; empty before the first reset.")
    seed: int = 0
    done: bool = Field(default=False, description="True if the episode has ended.")
    reward: float | None = None
    reasons: list[str] = Field(default=[], description="Why the task was not solved; empty until the episode ends.")
