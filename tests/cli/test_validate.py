import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from memkube.cli.validate import validate
from tests.cli.processes import MEMKUBE, on_a_terminal, run_memkube
from tests.processor import slowness

_MANIFESTS = Path(__file__).parents[1] / "manifests"
_SECONDS_FOR_200 = 3.0
_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
_ENDPOINTS = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n"
_SET = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{0}}}
spec:
  selector: {{matchLabels: {{app: web-{0}}}}}
  template:
    metadata: {{labels: {{app: web-{0}}}}}
    spec: {{containers: [{{name: web, image: nginx, ports: [{{containerPort: 80}}]}}]}}
---
apiVersion: v1
kind: Service
metadata: {{name: web-{0}}}
spec: {{selector: {{app: web-{0}}}, ports: [{{port: 80}}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: web-{0}}}
data: {{index.html: hello}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: web-{0}}}
"""


def test_right_manifests_end_with_0(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "validate", str(_MANIFESTS / "right"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("21 manifests in 4 files: 21 right, 0 wrong")


def test_wrong_manifests_end_with_1_and_are_told_by_file_and_line(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "validate", str(_MANIFESTS))
    assert done.returncode == 1
    file = _MANIFESTS / "wrong" / "workloads.yaml"
    why = "spec.replicas: Invalid value: -1: must be greater than or equal to 0 [Deployment default/Not_A_Name]"
    assert f"{file}:7:3: error: {why}\n" in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nowhere.yaml"], "nowhere.yaml: No such file or directory"),
        (["--kubernetes-version", "1.35", "nowhere.yaml"], "can only check for Kubernetes 1.36"),
        (["--enable-admission-plugins", "Nonsense", "nowhere.yaml"], 'plugin "Nonsense" is unknown'),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_looked_at_ends_with_2(words: list[str], why: str) -> None:
    done = CliRunner().invoke(validate, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert why in done.stderr


@pytest.mark.parametrize("version", ["1.36", "v1.36", "1.36.2"])
def test_its_own_release_may_be_named(tmp_path: Path, version: str) -> None:
    (tmp_path / "a.yaml").write_text(_MAP)
    done = CliRunner().invoke(validate, ["--kubernetes-version", version, str(tmp_path / "a.yaml")])
    assert done.exit_code == 0


def test_warnings_fail_where_they_are_to(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(_ENDPOINTS)
    words = [str(tmp_path / "a.yaml")]
    assert CliRunner().invoke(validate, words).exit_code == 0
    done = CliRunner().invoke(validate, [*words, "--warnings-as-errors"])
    assert done.exit_code == 1
    assert ":1:1: warning: v1 Endpoints is deprecated" in done.stdout


@pytest.mark.parametrize("output", ["json", "sarif"])
def test_standard_input_is_checked_and_told_for_programs(output: str) -> None:
    done = CliRunner().invoke(validate, ["-o", output, "-"], input="a: 1\n")
    assert done.exit_code == 1
    assert "apiVersion is missing" in json.dumps(json.loads(done.stdout))


def test_200_manifests_take_less_than_3_seconds(environment: dict[str, str], tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number}.yaml").write_text(_SET.format(number))
    program = f"import resource, subprocess\nsubprocess.run({[*MEMKUBE, 'validate', str(tmp_path)]!r}, check=True)\n"
    program += "used = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(used.ru_utime + used.ru_stime)\n"
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    summary, processor_seconds = done.stdout.splitlines()
    assert summary.startswith("200 manifests in 50 files: 200 right")
    # Other tests may use the processor at the same time, so the shorter of the two times is compared.
    assert min(float(processor_seconds), time.monotonic() - begin) < _SECONDS_FOR_200 * slowness()


def test_colors_are_for_terminals(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(_ENDPOINTS)
    words = ("validate", str(tmp_path / "a.yaml"))
    assert "\x1b[33mwarning:\x1b[0m" in on_a_terminal(environment, *words)
    assert "\x1b" not in run_memkube(environment, *words).stdout
