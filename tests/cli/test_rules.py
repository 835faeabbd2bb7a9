import json

from memkube import Memkube
from tests.cli.processes import run_memkube


def test_rules_are_put_listed_and_deleted(environment: dict[str, str]) -> None:
    with Memkube(clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        done = run_memkube(at, "rules", "put", "crashing", "image=nginx:*", "exitCode=1", "exitAfterSeconds=5")
        assert (done.returncode, done.stderr) == (0, "")
        rule = {"image": "nginx:*", "exitCode": 1, "exitAfterSeconds": 5}
        assert json.loads(run_memkube(at, "rules", "list", "-o", "json").stdout) == [{"name": "crashing", "rule": rule}]
        name, _, fields = run_memkube(at, "rules", "list").stdout.partition(": ")
        assert (name, json.loads(fields)) == ("crashing", rule)
        run_memkube(at, "rules", "delete", "crashing")
        assert kube.behaviors.all() == {}


def test_a_word_that_is_no_field_is_wrong_usage(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "rules", "put", "crashing", "nginx")
    assert (done.returncode, "'nginx' is not of the form KEY=VALUE" in done.stderr) == (2, True)
