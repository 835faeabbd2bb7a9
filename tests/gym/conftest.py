from collections.abc import Iterator

import pytest

from memkube.gym import Environment


@pytest.fixture(scope="session")
def env() -> Iterator[Environment]:
    """An environment that the tests of a module share: a reset restores a snapshot."""
    with Environment() as environment:
        yield environment
