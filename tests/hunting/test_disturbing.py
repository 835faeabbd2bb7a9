"""Disturbances of real watches, as an operator sees them."""

import sys
from typing import Any

from memkube.hunting.description import Hunt, Operator, Step, Target
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.run import Observation, Run

_WATCHER = """
from kubernetes import client, config, watch

config.load_kube_config()
core = client.CoreV1Api()
while True:
    found = core.list_namespaced_config_map("default", resource_version="0", label_selector="seen")
    print("listed", *[one.metadata.name for one in found.items], flush=True)
    version = found.metadata.resource_version
    try:
        where = {"label_selector": "seen", "resource_version": version, "timeout_seconds": 60}
        for event in watch.Watch().stream(core.list_namespaced_config_map, "default", **where):
            print(event["type"], event["object"].metadata.name, flush=True)
    except client.ApiException as error:
        print(error.status, flush=True)
"""


_RELEASER = """
import time
from kubernetes import client, config, watch

config.load_kube_config()
core = client.CoreV1Api()
while True:
    found = core.list_namespaced_config_map("default", resource_version="0", label_selector="seen")
    for one in found.items:
        dying = one.metadata.deletion_timestamp
        print("listed", one.metadata.name + (", terminating" if dying else ""), flush=True)
        if dying and one.metadata.finalizers:
            body = {"metadata": {"finalizers": None, "uid": one.metadata.uid}}
            try:
                core.patch_namespaced_config_map(one.metadata.name, "default", body)
            except client.ApiException:
                pass
    version = found.metadata.resource_version
    where = {"label_selector": "seen", "resource_version": version, "timeout_seconds": 60}
    next(watch.Watch().stream(core.list_namespaced_config_map, "default", **where), None)
"""


def config_map(name: str, **metadata: Any) -> Step:
    metadata = {"name": name, "namespace": "default", "labels": {"seen": "true"}, **metadata}
    return Step(apply={"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


def observed(**fields: Any) -> Observation:
    """Return a run that creates the ConfigMaps a and b, with a disturbance of the watch of ConfigMaps."""
    fault = fields.pop("fault")
    disturbance = Disturbance(
        fault={"match": {"verbs": ["watch"], "resources": ["configmaps"]}, "when": {"first": 1}, "effect": fault},
        **fields,
    )
    plan = Plan(pattern="history", about="", disturbances=[disturbance])
    operator = Operator(command=[sys.executable, "-c", _WATCHER])
    hunt = Hunt(operator=operator, controllers="none", workload=[config_map("a"), config_map("b")])
    return Run(hunt, [], quiet=0.5, plan=plan).observe()


def test_an_object_is_listed_again_right_after_its_event() -> None:
    found = observed(fault={"type": "closeWatch", "how": "expired", "afterEvents": 1}, after=-1, until=0)
    assert found.output.splitlines() == ["listed", "ADDED a", "410", "listed a", "ADDED b"]
    assert found.hits


def test_an_event_is_received_again_after_a_list_of_an_older_state() -> None:
    found = observed(fault={"type": "closeWatch", "how": "expired"}, after=1, until=1, view=0)
    assert found.output.splitlines() == ["listed", "ADDED a", "ADDED b", "410", "listed a", "ADDED b"]
    assert found.hits


def test_a_view_of_a_deletion_shows_the_terminating_object() -> None:
    delete = Step(delete=Target(apiVersion="v1", kind="ConfigMap", namespace="default", name="a"))
    watching = {"match": {"verbs": ["watch"], "resources": ["configmaps"]}, "effect": {"type": "delayEvents"}}
    again = Disturbance(fault=watching, after=2, until=2, restarts=True, view=1, view_of_deletion=True)
    hunt = Hunt(
        operator=Operator(command=[sys.executable, "-c", _RELEASER]),
        controllers="none",
        workload=[config_map("a", finalizers=["example.com/hold"]), delete, config_map("a")],
    )
    plan = Plan(pattern="stale", about="", disturbances=[again])
    found = Run(hunt, [], quiet=0.5, plan=plan).observe()
    assert found.output.splitlines()[-2:] == ["listed a, terminating", "listed a"]
    assert found.hits


def test_an_older_state_that_is_not_read_disturbs_nothing() -> None:
    found = observed(fault={"type": "closeWatch", "how": "expired", "afterEvents": 9}, after=1, until=1, view=0)
    assert not found.hits


def test_objects_that_are_right_while_events_are_late_are_noted() -> None:
    found = observed(fault={"type": "delayEvents"}, after=-1, until=1)
    assert 0 not in found.states
    assert {one.uid for one in found.changes if one.name == "default/a"} <= found.expected_uids


_COPIER = """
import signal

from kubernetes import client, config, watch

config.load_kube_config()
core = client.CoreV1Api()
found = core.list_namespaced_config_map("default", label_selector="seen")
print("listed", *[one.metadata.name for one in found.items], flush=True)
where = {"label_selector": "seen", "resource_version": found.metadata.resource_version}
for event in watch.Watch().stream(core.list_namespaced_config_map, "default", **where):
    try:
        core.create_namespaced_config_map("default", {"metadata": {"name": "copy"}})
    except Exception:
        signal.pause()  # The hunt kills the operator soon. Its output must not depend on how soon.
"""


def test_a_killed_operator_stays_away_until_the_end_of_the_disturbance() -> None:
    write = {"verbs": ["create"], "resources": ["configmaps"], "users": ["operator"]}
    fault = {"match": write, "when": {"first": 1}, "effect": {"type": "drop", "afterWrite": True}}
    away = Disturbance(fault=fault, until=1, kills=True, stays_away=True)
    operator = Operator(command=[sys.executable, "-c", _COPIER], identity="operator")
    hunt = Hunt(operator=operator, controllers="none", workload=[config_map("a"), config_map("b")])
    plan = Plan(pattern="unobserved", about="", disturbances=[away])
    found = Run(hunt, [], quiet=0.5, plan=plan).observe()
    assert found.output.splitlines() == ["listed", "listed a b"]
    assert found.hits
    assert 0 not in found.states
