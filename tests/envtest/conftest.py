from pathlib import Path

import pytest

from memkube.envtest.launchers import write_launchers


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the launchers. Its path contains spaces."""
    folder = tmp_path_factory.mktemp("programs of envtest")
    write_launchers(folder)
    return folder
