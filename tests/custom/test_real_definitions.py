"""Definitions and objects of well-known projects, if a folder with them exists.

Each project has a folder with ``definitions.json`` and ``samples.json``, which are lists of objects from its
repository, and ``answers.json``, the responses of a real API server, which ``python -m tests.custom.record_answers URL
FOLDER`` writes. The folder is that of MEMKUBE_DEFINITIONS, or ``definitions`` beside the repository.
"""

import json
import os
from pathlib import Path

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.custom.real_projects import Project, answers_to, differences

pytestmark = pytest.mark.long
_FOLDER = Path(os.environ.get("MEMKUBE_DEFINITIONS") or Path(__file__).parents[3] / "definitions")
_PROJECTS = sorted(path.parent for path in _FOLDER.glob("*/answers.json"))


def _compared(folder: Path) -> str:
    answers = json.loads((folder / "answers.json").read_text())
    return f"{folder.name}: {len(answers['definitions'])} definitions, {len(answers['samples'])} objects"


@pytest.mark.skipif(not _PROJECTS, reason=f"no definitions of other projects in {_FOLDER}")
@pytest.mark.parametrize("folder", _PROJECTS, ids=_compared)
def test_a_project_gets_the_answers_that_the_reference_gives(folder: Path) -> None:
    project, recorded = Project.read(folder), json.loads((folder / "answers.json").read_text())
    with (
        Server(Settings(controllers=())).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=120) as client,
    ):
        assert differences(recorded, answers_to(client, project)) == []
