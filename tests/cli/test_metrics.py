import json

from memkube import Memkube
from tests.cli.processes import run_memkube


def test_metrics_are_put_listed_and_deleted(environment: dict[str, str]) -> None:
    with Memkube(clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        done = run_memkube(at, "metrics", "put", "queue", "type=External", "metric=queue_length", "value=30")
        assert (done.returncode, done.stderr) == (0, "")
        value = {"type": "External", "metric": "queue_length", "value": "30"}
        listed = json.loads(run_memkube(at, "metrics", "list", "-o", "json").stdout)
        assert listed == [{"name": "queue", "metric": value}]
        name, _, fields = run_memkube(at, "metrics", "list").stdout.partition(": ")
        assert (name, json.loads(fields)) == ("queue", value)
        run_memkube(at, "metrics", "delete", "queue")
        assert kube.metrics.all() == {}


def test_a_value_that_is_no_quantity_is_refused(environment: dict[str, str]) -> None:
    with Memkube(clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        done = run_memkube(at, "metrics", "put", "queue", "type=External", "metric=queue_length", "value=many")
        assert done.returncode == 1
        assert done.stderr.startswith("memkube: value: quantities must match the regular expression")
