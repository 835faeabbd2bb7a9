"""Right solutions and cheats of the tasks, and playing them."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memkube.gym import Environment
from memkube.gym.pack import _read

SOLUTIONS: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "solutions.yaml").read_text())
SEED = 3


@cache
def values(task: str, seed: int = SEED) -> dict[str, str | int]:
    """The values of a task's variables."""
    return dict(_read(task)[0].chosen(task, seed))


def lines(task: str, templates: list[str], seed: int = SEED) -> list[str]:
    return [template.format(**values(task, seed)) for template in templates]


def played(env: Environment, commands: list[str]) -> list[tuple[float, str]]:
    """Run commands until the episode ends, and return the reward and the output of each."""
    found = []
    for command in commands:
        observation, reward, terminated, *_ = env.step(command)
        found.append((reward, observation["output"]))
        if terminated:
            break
    return found


def rewards(env: Environment, commands: list[str]) -> list[float]:
    """Run commands until the episode ends, and return their rewards."""
    return [reward for reward, _ in played(env, commands)]
