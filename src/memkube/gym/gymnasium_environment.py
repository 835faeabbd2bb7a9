"""The environment as a subclass of ``gymnasium.Env``.

It needs the package gymnasium, which memkube does not install.
"""

import string
from typing import Any, Final

import gymnasium
from gymnasium.spaces import Dict, Discrete, Text

from memkube.gym.environment import Environment

_CHARACTERS: Final = string.printable
_MOST_ACTION: Final = 100_000
_MOST_OUTPUT: Final = 20_000
_EXIT_CODES: Final = 256


class GymnasiumEnvironment(gymnasium.Env[dict[str, Any], str]):
    """A broken cluster for agents that are trained with Gymnasium.

    ::

        env = GymnasiumEnvironment("quota")
        observation, info = env.reset(seed=7)

    The arguments are those of `memkube.gym.Environment`. Actions and outputs are texts of printable ASCII characters;
    other characters of an output are replaced by question marks.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, task: str = "", **arguments: Any) -> None:
        self._environment = Environment(task, **arguments)
        self.action_space = Text(max_length=_MOST_ACTION, min_length=0, charset=_CHARACTERS)
        self.observation_space = Dict(
            {
                "output": Text(max_length=_MOST_OUTPUT, min_length=0, charset=_CHARACTERS),
                "exit_code": Discrete(_EXIT_CODES),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        observation, info = self._environment.reset(seed=seed, options=options)
        return _printable(observation), info

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self._environment.step(action)
        return _printable(observation), reward, terminated, truncated, info

    def close(self) -> None:
        self._environment.close()


def _printable(observation: dict[str, Any]) -> dict[str, Any]:
    output = "".join(character if character in _CHARACTERS else "?" for character in observation["output"])
    return {"output": output, "exit_code": observation["exit_code"] % _EXIT_CODES}
