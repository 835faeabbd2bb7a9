import warnings

import pytest
from gymnasium.utils.env_checker import check_env

from memkube.gym.gymnasium_environment import GymnasiumEnvironment

pytestmark = pytest.mark.kubectl


def test_the_environment_passes_the_checker_of_gymnasium() -> None:
    env = GymnasiumEnvironment("network-policy")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(env, skip_render_check=True)
        said = [str(warning.message) for warning in caught]
        # The environment is not registered, so it cannot be made by name.
        assert [text for text in said if "spec" not in text] == []
    finally:
        env.close()


def test_observations_are_in_the_space_of_observations() -> None:
    env = GymnasiumEnvironment("network-policy")
    try:
        env.reset(seed=1)
        observation, reward, terminated, truncated, _ = env.step("kubectl get nodes --show-labels -o wide")
        assert observation in env.observation_space
        assert (reward, terminated, truncated) == (0.0, False, False)
    finally:
        env.close()
