"""The recorded exchanges, and the program beside them that replays and compares them."""

import importlib.util
import queue
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from memkube.server import Server
from memkube.settings import Settings

FOLDER = Path(__file__).parents[3] / "shared" / "conformance"
NOT_YET = Path(__file__).with_name("not_yet.txt")
Case: TypeAlias = Mapping[str, Any]
_WORKERS = 8
"""Most cases wait: watches end after a second."""


def load_cases() -> list[Case]:
    """All public cases; none where the recordings are not at hand."""
    return list(_program().load(FOLDER / "cases")) if FOLDER.exists() else []


def replay(cases: Iterable[Case]) -> dict[str, list[str]]:
    """The differences that each case shows, by its id. Each worker has a server of its own."""
    program = _program()
    with ExitStack() as stack:
        servers: queue.SimpleQueue[Server] = queue.SimpleQueue()
        for _ in range(_WORKERS):
            servers.put(stack.enter_context(Server(Settings(controllers=())).in_thread()))

        def run(case: Case) -> tuple[str, list[str]]:
            server = servers.get()
            try:
                return case["id"], _differences(program, server.url, case)
            finally:
                servers.put(server)

        with ThreadPoolExecutor(_WORKERS) as pool:
            return dict(pool.map(run, cases))


def _differences(program: Any, url: str, case: Case) -> list[str]:
    ignore = case.get("ignore", [])
    expected = program.masked([step["response"] for step in case["steps"]], case["recorded_namespace"], ignore)
    try:
        answers, namespace = program.run_case(program.Client(url), case)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    actual = program.masked(answers, namespace, ignore)
    compare: Callable[[Any, Any], list[str]] = program.differences
    return [
        f"step {number} {step['request']['method']} {step['request']['path']}: {difference}"
        for number, (step, left, right) in enumerate(zip(case["steps"], expected, actual, strict=True), 1)
        for difference in compare(left, right)
    ]


def _program() -> Any:
    spec = importlib.util.spec_from_file_location("conformance", FOLDER / "conformance.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
