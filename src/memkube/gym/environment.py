"""The environment class, with the methods of a Gymnasium environment: ``reset``, ``step`` and ``close``."""

import contextlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

from memkube.errors import UsageError
from memkube.gym.commands import Commands
from memkube.gym.episode import Episode, Preparations, Stage, Verdict
from memkube.gym.messages import Observation, State
from memkube.gym.pack import check_task, task_names

DONE: Final = "exit"
"""Command line with which an agent ends the episode."""
_MOST_SEED: Final = 2**31 - 1
_OPTIONS: Final = ("task",)


class Environment:
    """An environment in which an agent repairs a broken cluster with kubectl.

    ::

        with Environment("wrong-image") as env:
            observation, info = env.reset(seed=7)
            observation, reward, terminated, truncated, info = env.step("kubectl get pods -A")

    An action is a command line: ``kubectl ...``, ``sleep SECONDS``, or ``exit``, which ends the episode. There is no
    shell. The cluster's clock advances by `seconds_per_step` after each action. The reward is 1 if the task is solved,
    otherwise 0. An episode is terminated when the task is solved, can no longer be solved, or the agent has ended it;
    it is truncated after `most_steps` actions.

    `task` is the name of a task; an empty name lets the seed choose one. Environments with the same `preparations`
    share the clusters that they have prepared. ``info`` is for the program that trains or tests the agent: it says why
    the task is not solved, so do not show it to the agent. An environment may be used by one thread at a time.
    """

    def __init__(
        self,
        task: str = "",
        *,
        most_steps: int = 30,
        seconds_per_step: float = 30,
        preparations: Preparations | None = None,
    ) -> None:
        if task:
            check_task(task)
        if most_steps < 1:
            raise UsageError(f"most_steps must be at least 1, not {most_steps}")
        self._task = task
        self._most_steps = most_steps
        self._seconds_per_step = seconds_per_step
        self._preparations = Preparations() if preparations is None else preparations
        self._random = random.Random()  # noqa: S311 - chooses seeds, and must be repeatable
        self._stage: Stage | None = None
        self._episode: Episode | None = None
        self._commands: Commands | None = None
        self._cleanup = contextlib.ExitStack()
        self._state = State()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> State:
        """State of the episode. While the episode runs, the state contains nothing that only the grader may know."""
        return self._state

    @property
    def kubeconfig(self) -> Path:
        """Path of the agent's kubeconfig. Raises UsageError before the first reset."""
        return self._playing[0].agent.kubeconfig

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode. Return its first observation, with the text of the task, and Gymnasium's ``info``.

        `seed` chooses the names and numbers in the task. Without it, the seed follows from the seed of an earlier
        reset; if no reset had one, it is random. The option ``task`` chooses another task. Raises UsageError for an
        unknown task or option, and MemkubeError if kubectl is not installed.
        """
        given = dict(options or {})
        if unknown := [name for name in given if name not in _OPTIONS]:
            raise UsageError(f"unknown option {unknown[0]!r} of reset: choose from {', '.join(_OPTIONS)}")
        if seed is not None:
            self._random.seed(seed)
        chosen = self._random.randint(0, _MOST_SEED) if seed is None else seed
        name = str(given.get("task") or self._task or random.Random(chosen).choice(task_names()))  # noqa: S311
        check_task(name)
        if self._stage is None:
            self._stage = Stage()
            self._cleanup.callback(self._stage.close)
            self._commands = Commands(self._stage.agent.kubeconfig, self._stage)
            self._cleanup.callback(self._commands.close)
        self._episode = self._stage.begin(name, chosen, self._preparations)
        self._state = State(task=name, seed=chosen)
        text = self._episode.task.text
        return Observation(output=text).visible(), {"task": name, "seed": chosen}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Run the command line `action`. Return observation, reward, ``terminated``, ``truncated`` and ``info``.

        These are the five results of ``step`` in Gymnasium. Raises UsageError if no episode has begun, or if it has
        ended.
        """
        _, episode, commands = self._playing
        state = self._state
        if state.done:
            raise UsageError("the episode has ended: call reset")
        ended = action.strip() == DONE
        if ended:
            observation = Observation()
        else:
            result = commands.run(action)
            observation = Observation(output=result.output, exit_code=result.exit_code)
            episode.advance(self._seconds_per_step)
        verdict = episode.verdict()
        steps = state.step_count + 1
        terminated = verdict.solved or verdict.lost or ended
        truncated = not terminated and steps >= self._most_steps
        reward = 1.0 if verdict.solved else 0.0
        self._state = State(task=state.task, seed=state.seed, step_count=steps, done=terminated or truncated)
        if self._state.done:
            self._state.reward, self._state.reasons = reward, verdict.reasons
        return observation.visible(), reward, terminated, truncated, {"reasons": verdict.reasons}

    def advance(self, seconds: float) -> None:
        """Advance the cluster's clock, for agents that run kubectl themselves instead of calling `step`."""
        self._playing[1].advance(seconds)

    def judge(self, patience: float = 600) -> Verdict:
        """Return the verdict on the episode, for agents that run kubectl themselves instead of calling `step`.

        First, the cluster's clock advances by at most `patience` seconds, until all goals of the task are reached. If
        they are, it advances by another minute, and the goals must still be reached then.
        """
        return self._playing[1].verdict(patience)

    def close(self) -> None:
        """Stop the server of the environment. The next call of `reset` starts a new one."""
        self._stage = self._episode = self._commands = None
        self._cleanup.close()

    @property
    def _playing(self) -> tuple[Stage, Episode, Commands]:
        if self._stage is None or self._episode is None or self._commands is None:
            raise UsageError("there is no episode: call reset")
        return self._stage, self._episode, self._commands
