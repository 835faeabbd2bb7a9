from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import TypeAlias

import pytest

from tests.kubectl.replay import (
    OTHER_RELEASES,
    RECORDED_WITH,
    SUITES,
    Kubeconfigs,
    differences,
    first_differences,
    kubectl,
    load_sessions,
    servers,
)
from tests.recordings.agreement import read_agreeing, unlisted
from tests.recordings.archive import Recording

_SESSIONS = load_sessions()
_AGREEING = [key for key in read_agreeing() if key.partition("/")[0] in SUITES]
_TRIED_WITH_ALL_RELEASES = "kubectl/sessions/apply-server"
"""The session that is replayed with all kubectl releases. It uses discovery, OpenAPI, apply and tables."""
_Results: TypeAlias = Mapping[str, "Future[list[str]]"]

pytestmark = [pytest.mark.long, pytest.mark.kubectl]


@pytest.fixture(scope="session")
def kubeconfigs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubeconfigs]:
    with servers(tmp_path_factory.mktemp("kubectl")) as written:
        yield written


@pytest.fixture(scope="session")
def program() -> Path:
    """The kubectl of the release with which the sessions were recorded."""
    found = kubectl(RECORDED_WITH)
    return found or pytest.skip(f"there is no kubectl {RECORDED_WITH} on PATH")


@pytest.fixture(scope="session")
def results(program: Path, kubeconfigs: Kubeconfigs, request: pytest.FixtureRequest) -> Iterator[_Results]:
    """The differences of each selected session.

    Sessions run in parallel, because kubectl mostly waits.
    """
    selected = {item.name for item in request.session.items}
    is_listing = test_all_sessions_that_agree_are_listed.__name__ in selected
    defining = Lock()

    def replayed(key: str, session: Recording) -> list[str]:
        replay = differences if key in _AGREEING else first_differences
        with defining if _defines_kinds(session) else nullcontext():
            return replay(session, program, kubeconfigs)

    with ThreadPoolExecutor(4) as pool:
        yield {
            key: pool.submit(replayed, key, session)
            for key, session in _SESSIONS.items()
            if (is_listing and key not in _AGREEING) or f"test_kubectl_prints_what_was_recorded[{key}]" in selected
        }


def _defines_kinds(session: Recording) -> bool:
    """True if the session defines kinds. Sessions that define kinds of the same names must not run at once."""
    return any("kind: CustomResourceDefinition" in command.get("stdin", "") for command in session["commands"])


def _marked(key: str) -> object:
    """Mark the sessions of single kinds as slow, because other recordings test the same tables and responses."""
    return pytest.param(key, marks=pytest.mark.slow if key.startswith("kubectl-kinds/") else ())


@pytest.mark.parametrize("key", [_marked(key) for key in _AGREEING])
def test_kubectl_prints_what_was_recorded(key: str, results: _Results) -> None:
    assert key in _SESSIONS, "there is no such recording"
    found = results[key].result()
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_all_sessions_that_agree_are_listed(results: _Results) -> None:
    more = unlisted({key: result.result() for key, result in results.items()}, _AGREEING)
    assert not more, "run python -m tests.kubectl, which lists " + ", ".join(more)


@pytest.mark.slow
@pytest.mark.parametrize("release", OTHER_RELEASES)
def test_older_kubectls_return_what_was_recorded(release: str, kubeconfigs: Kubeconfigs) -> None:
    program = kubectl(release)
    if program is None:
        pytest.skip(f"there is no kubectl {release} on PATH")
    found = differences(_SESSIONS[_TRIED_WITH_ALL_RELEASES], program, kubeconfigs, exit_only=True)
    assert not found, "\n".join(found)
