from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.kubeconfig import write_kubeconfig
from memkube.server import Server
from tests.agreement import judge, read_not_yet
from tests.kubectl.sessions import (
    FOLDER,
    NOT_YET,
    OTHER_RELEASES,
    RECORDED_WITH,
    differences,
    kubectl,
    load_sessions,
)

_SESSIONS = load_sessions()
_LISTED = read_not_yet(NOT_YET)
_IDS = [session["id"] for session in _SESSIONS]
_TRIED_WITH_ALL_RELEASES = ("apply-server",)
"""Starting kubectl takes its time; this session uses discovery, OpenAPI, apply and tables."""
_Results: TypeAlias = Mapping[str, "Future[list[str]]"]

pytestmark = [pytest.mark.kubectl, pytest.mark.skipif(not _SESSIONS, reason=f"there are no sessions in {FOLDER}")]


@pytest.fixture(scope="session")
def kubeconfig(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kubectl") / "kubeconfig"
    write_kubeconfig(path, server.url)
    return path


@pytest.fixture(scope="session")
def pool() -> ThreadPoolExecutor:
    """kubectl waits more than it computes."""
    return ThreadPoolExecutor(4)


@pytest.fixture(scope="session")
def results(pool: ThreadPoolExecutor, kubeconfig: Path, request: pytest.FixtureRequest) -> _Results:
    """The differences of every selected session with the kubectl that recorded them."""
    program = kubectl(RECORDED_WITH)
    if program is None:
        pytest.skip(f"there is no kubectl.{RECORDED_WITH} beside the kubectl on PATH")
    selected = {item.name for item in request.session.items}
    return {
        session["id"]: pool.submit(differences, session, program, kubeconfig)
        for session in _SESSIONS
        if f"test_kubectl_prints_what_was_recorded[{session['id']}]" in selected
    }


@pytest.mark.parametrize("session", _IDS)
def test_kubectl_prints_what_was_recorded(session: str, results: _Results) -> None:
    complaint = judge(session, results[session].result(), _LISTED)
    assert not complaint, complaint


@pytest.mark.parametrize("release", OTHER_RELEASES)
def test_older_kubectls_return_what_was_recorded(release: str, pool: ThreadPoolExecutor, kubeconfig: Path) -> None:
    program = kubectl(release)
    if program is None:
        pytest.skip(f"there is no kubectl.{release} beside the kubectl on PATH")
    sessions = [session for session in _SESSIONS if session["id"] in _TRIED_WITH_ALL_RELEASES]
    runs = pool.map(lambda session: differences(session, program, kubeconfig, exit_only=True), sessions)
    complaints = [complaint for found in runs for complaint in found]
    assert not complaints, "\n".join(complaints)
