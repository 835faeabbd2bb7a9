import json
import platform

from memkube import __version__
from memkube.version import KUBERNETES_VERSION
from tests.cli.processes import run_memkube


def test_it_is_one_line_for_people(environment: dict[str, str]) -> None:
    expected = f"memkube {__version__}, Kubernetes {KUBERNETES_VERSION}, Python {platform.python_version()}\n"
    assert run_memkube(environment, "version").stdout == expected


def test_it_is_a_document_for_programs(environment: dict[str, str]) -> None:
    versions = json.loads(run_memkube(environment, "version", "-o", "json").stdout)
    assert versions.keys() == {"memkube", "kubernetes", "python", "platform"}
    assert (versions["memkube"], versions["kubernetes"]) == (__version__, KUBERNETES_VERSION)


def test_the_option_prints_the_versions_too(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "--version")
    assert (done.returncode, done.stdout) == (0, f"memkube {__version__}, Kubernetes {KUBERNETES_VERSION}\n")
