"""Tests of the commands and programs in README and docs/, word for word.

The files of a page are written into a folder, after those of the tutorial, its commands are run there, and their output
is compared. Each section is a test of its own, with a server of its own if it needs one.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.processes import serving
from tests.listings import ROOT, TUTORIAL, Listing, agrees, all_listings, listings

pytestmark = pytest.mark.long
PATIENCE: Final = 240.0
_SHOWN: Final = "http://127.0.0.1:8080"
"""Address of the server in the output that the pages show."""
_BUILDS: Final = "needs compilers and packages of other languages; tests/envtest tests the programs"
_SUITE: Final = "needs a suite of the reader's in another language; tests/cli/test_run.py tests the command"
NOT_RUN: Final = {
    ("README.md", "make serve"): "`make test` would run itself",
    ("README.md", "import memkube"): "tests/test_readme.py runs it",
    ("README.md", "import pytest"): "tests/test_readme.py runs it",
    ("README.md", "/api/{version}"): "tests/endpoints/routers/test_application.py compares it",
    ("docs/adding-a-kind.md", ""): "tests/test_adding_a_kind.py applies it",
    ("docs/agents.md", "gym run"): "needs an agent; tests/cli/test_gym.py runs the commands",
    ("docs/agents.md", "gym serve"): "serves until it is stopped; tests/cli/test_gym.py runs it",
    ("docs/architecture.md", "flowchart"): "a diagram, which tests/test_docs.py compares",
    ("docs/ci.md", "uses: "): "tests/test_action.py runs the action",
    ("docs/ci.md", "uvx --from"): "tests/test_distribution.py runs it",
    ("docs/clients.md", "npm install"): "tests/test_examples.py runs it",
    ("docs/clients.md", "go test"): _SUITE,
    ("docs/clients.md", "mvn test"): _SUITE,
    ("docs/clients.md", "cargo test"): _SUITE,
    ("docs/envtest.md", "go test"): _BUILDS,
    ("docs/envtest.md", "envtest.Environment"): _BUILDS,
    ("docs/envtest.md", "podman build"): "needs a builder of containers",
    ("docs/envtest.md", "K3sContainer"): _BUILDS,
    ("docs/hunting.md", "operator:"): "tests/hunting runs hunts",
    ("docs/hunting.md", "memkube hunt"): "tests/hunting hunts in this example",
    ("docs/hunting.md", "memkube.hunt("): "tests/hunting runs the function",
    ("docs/hunting.md", "memkube_hunt"): "tests/test_pytest_plugin.py runs the fixture",
    ("docs/operations.md", "Trace:"): "lines of a log",
    ("docs/python.md", ""): "signatures and examples from docstrings: tests/test_python_reference.py compares them",
    ("docs/ui.md", "memkube ui findings"): "opens a browser; tests/cli/test_ui.py runs the command without one",
    ("docs/security.md", "--requestheader"): "tests/auth runs servers with these options",
    ("docs/security.md", "--cluster-signing"): "tests/controllers/certificates signs with these files",
    ("docs/stages.md", "kind: Order"): "tests/controllers/stages plays it",
    ("docs/several-servers.md", "haproxy"): "tests/replicas/test_proxy.py runs it",
    (TUTORIAL, "pip install"): "tests/test_distribution.py runs it",
}
"""Listings that are not run here: page, and words that they contain (empty for all listings of the page)."""
SERVED: Final = {
    ("README.md", "A first session"): "",
    ("docs/command-line.md", "Options of `serve`"): "--controllers all,-horizontal-pod-autoscaler-controller",
    ("docs/containers.md", ""): "",
    ("docs/containers.md", "Controlling nodes and time"): "--nodes 3 --clock stepped",
    ("docs/custom-kinds.md", ""): "",
    ("docs/custom-kinds.md", "Policies"): "",
    ("docs/drains.md", "With kubectl"): "--nodes 2",
    ("docs/scenarios.md", "On a running server"): "--clock stepped --nodes 3",
    ("docs/ui.md", ""): "",
    ("docs/security.md", "Which roles does my program need?"): "",
    ("docs/webhooks.md", "From a shell"): "",
}
"""Options of the server that runs during the commands of a section."""
BY_DEFAULT: Final = {("README.md", "A first session"), (TUTORIAL, "Test the operator")}
"""Sections that `make test` runs; `make slow` runs the others."""


def reasons(listing: Listing) -> list[str]:
    """Return the reasons why a listing is not run."""
    return [reason for (page, words), reason in NOT_RUN.items() if page == listing.page and words in listing.text]


def run_here(page: str, section: str) -> list[tuple[str, str | None]]:
    """Return the commands of a section with their expected output, or None if the page shows no output."""
    inside = [listing for listing in listings(page) if listing.section == section and not reasons(listing)]
    return [command for listing in inside for command in listing.commands()]


def is_run(listing: Listing) -> bool:
    """Return True if a listing has commands, or is a file that commands or other files of its page name."""
    others = [other for other in listings(listing.page) if other is not listing]
    name = listing.file.removesuffix(".py")
    return bool(listing.commands() or name == "conftest" or (name and any(name in other.text for other in others)))


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with `memkube`, `pytest` and `python` on PATH, and without a kubeconfig."""
    home = tmp_path_factory.mktemp("home")
    for name, module in (("memkube", "memkube"), ("pytest", "pytest")):
        (home / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (home / name).chmod(0o755)
    dropped = ("KUBECONFIG", "MEMKUBE_SERVER", "PYTHONDONTWRITEBYTECODE", "NODE_OPTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped and not name.startswith("PYTEST")}
    path = os.pathsep.join((str(home), str(Path(sys.executable).parent), kept["PATH"]))
    # Leave out plugins that only this project's own tests need: importing them takes longer than most of the listed
    # tests.
    plugins = {"PYTEST_ADDOPTS": "-p no:asyncio -p no:schemathesis -p no:hypothesispytest"}
    return {**kept, **plugins, "HOME": str(home), "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}


@contextlib.contextmanager
def _server(environment: dict[str, str], options: str | None) -> Iterator[dict[str, str]]:
    """Run the server of a section; yield the environment of its commands."""
    if options is None:
        yield environment
        return
    with serving(environment, *options.split()) as server:
        yield {**environment, "KUBECONFIG": str(server.kubeconfig), "MEMKUBE_SERVER": server.url}


def _sections() -> list[object]:
    """Return the pages and sections that have commands to run."""
    sections = dict.fromkeys((listing.page, listing.section) for listing in all_listings())
    return [
        pytest.param(*place, id=" ".join(place), marks=() if place in BY_DEFAULT else pytest.mark.slow)
        for place in sections
        if run_here(*place)
    ]


@pytest.mark.parametrize(("page", "section"), _sections())
def test_a_section_does_what_it_says(page: str, section: str, tmp_path: Path, environment: dict[str, str]) -> None:
    for listing in (*listings(TUTORIAL), *listings(page)):
        if listing.file:
            (tmp_path / listing.file).write_text(listing.text)
    if any("examples/" in command for command, _ in run_here(page, section)):
        (tmp_path / "examples").symlink_to(ROOT / "examples")
    with _server(environment, SERVED.get((page, section))) as variables:
        for command, expected in run_here(page, section):
            if "kubectl" in command and shutil.which("kubectl") is None:
                pytest.skip("there is no kubectl on PATH")
            done = subprocess.run(
                ["bash", "-c", command.replace("http://localhost:8080", "$MEMKUBE_SERVER")],
                cwd=tmp_path,
                env=variables,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=PATIENCE,
                check=False,
            )
            if expected is None:
                assert done.returncode == 0, f"{command}\n{done.stdout}"
            else:
                printed = done.stdout.replace(variables.get("MEMKUBE_SERVER", _SHOWN), _SHOWN)
                assert agrees(expected, printed), f"$ {command}\n{done.stdout}"


def test_every_listing_is_run_or_named_with_the_reason_why_not() -> None:
    missed = [listing for listing in all_listings() if not reasons(listing) and not is_run(listing)]
    assert [f"{listing.page}, {listing.section}: {listing.text[:80]}" for listing in missed] == []


def test_every_reason_belongs_to_a_listing() -> None:
    texts = {page: [listing.text for listing in listings(page)] for page, _ in NOT_RUN}
    assert [(page, words) for page, words in NOT_RUN if not any(words in text for text in texts[page])] == []


def test_every_server_and_default_belongs_to_a_section() -> None:
    sections = {(listing.page, listing.section) for listing in all_listings()}
    assert (SERVED.keys() | BY_DEFAULT) - sections == set()
