"""The controllers reach the same state if they are restarted at any revision of a workload."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import uuid4

import pytest

from memkube import Memkube
from memkube.hunting.end_state import Reference, State, end_state
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import SavedObjects
from memkube.snapshots.snapshot import Snapshot

Step: TypeAlias = Callable[[Memkube], object]
_STEP_SECONDS: Final = 100
_EVERY: Final = 6
"""Distance between the revisions at which the controllers are restarted.

Restarts at all revisions would take minutes.
"""
_KEPT: Final = ("nodes", "node-pools")
"""Parts of the state that outlive the controllers: the simulated nodes."""


class Revision(NamedTuple):
    """The objects of a cluster at one revision, while the controllers carry out a step of the workload."""

    step: int
    now: datetime
    objects: dict[str, StoredObject]


def template(app: str, *command: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "nginx:1", **({"command": list(command)} if command else {})}
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container], **spec}}


def workload(kind: str, name: str, pods: dict[str, Any], **spec: Any) -> dict[str, Any]:
    version = "batch/v1" if kind in ("Job", "CronJob") else "apps/v1"
    selector = {} if version == "batch/v1" else {"selector": {"matchLabels": {"app": name}}}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {**selector, "template": pods, **spec},
    }


def claim(name: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def created(document: dict[str, Any]) -> Step:
    return lambda kube: kube.create(document)[0]


def new_image(plural: str, name: str) -> Step:
    change = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}}}
    return lambda kube: kube.patch(plural, name, change, type="strategic")


def deleted(plural: str, name: str) -> Step:
    return lambda kube: kube.delete(plural, name)


SERVICE: Final = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
}
BUDGET: Final = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}
MOUNT: Final = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
POD: Final = {"apiVersion": "v1", "kind": "Pod", **template("user", **MOUNT)}
RETAINED: Final = {"whenScaled": "Delete", "whenDeleted": "Delete"}
WORKLOADS: Final[dict[str, Sequence[Step]]] = {
    "deployment": (
        created(SERVICE),
        created(BUDGET),
        created(workload("Deployment", "web", template("web"), replicas=3)),
        new_image("deployments", "web"),
        lambda kube: kube.scale("deployments", "web", 1),
        deleted("deployments", "web"),
    ),
    "stateful set": (
        created(
            workload(
                "StatefulSet",
                "db",
                template("db"),
                replicas=2,
                serviceName="db",
                volumeClaimTemplates=[claim("data")],
                persistentVolumeClaimRetentionPolicy=RETAINED,
            )
        ),
        new_image("statefulsets", "db"),
        deleted("statefulsets", "db"),
    ),
    "daemon set": (
        created(workload("DaemonSet", "agent", template("agent"))),
        new_image("daemonsets", "agent"),
        deleted("daemonsets", "agent"),
    ),
    "jobs": (
        created(
            workload("Job", "all", template("all", "sleep", "5", restartPolicy="Never"), completions=3, parallelism=2)
        ),
        created(workload("Job", "fails", template("fails", "false", restartPolicy="Never"), backoffLimit=1)),
        deleted("jobs", "all"),
    ),
    "volumes": (
        created(claim("data")),
        created({**POD, "metadata": {"name": "user"}}),
        deleted("persistentvolumeclaims", "data"),
        deleted("pods", "user"),
    ),
}


def state_of(kube: Memkube) -> State:
    return end_state([stored.document for stored in kube.snapshot().objects.objects.values()], ())


def cluster(seed: int = 1, **options: Any) -> Memkube:
    return Memkube(clock="stepped", seed=seed, **options)


def carry_out(kube: Memkube, steps: Sequence[Step]) -> State:
    for step in steps:
        step(kube)
        kube.clock.advance(_STEP_SECONDS)
    return state_of(kube)


def revisions(kube: Memkube, steps: Sequence[Step]) -> Iterator[Revision]:
    """Carry out the steps, and return each revision from the write of the step on.

    The clock advances in seconds, so that the time of each revision is known.
    """
    running = kube._running
    log, objects = running.server.registry.new_events(), dict(kube.snapshot().objects.objects)

    async def read() -> list[Any]:
        return [event async for event in log.read()]

    for number, step in enumerate(steps):
        written = step(kube)
        first = int(written["metadata"]["resourceVersion"]) if isinstance(written, dict) else 0
        for _ in range(_STEP_SECONDS):
            now = kube.clock.now()
            kube.clock.advance(1)
            for event in running.result(running.submit(read()), 60):
                if event.type == "deleted":
                    objects.pop(event.key, None)
                else:
                    objects[event.key] = event.value
                if event.revision >= first and event.value.document["kind"] not in ("Event", "Lease"):
                    yield Revision(number, now, dict(objects))


def restarted(at: Revision, states: dict[str, Any]) -> Snapshot:
    newest = max(int(stored.resource_version) for stored in at.objects.values())
    return Snapshot(SavedObjects(str(uuid4()), newest, at.objects, {}), at.now, "stepped", states)


@pytest.mark.slow
@pytest.mark.parametrize("steps", WORKLOADS.values(), ids=WORKLOADS)
def test_controllers_that_are_restarted_reach_the_same_state(steps: Sequence[Step]) -> None:
    with cluster(nodes=2) as kube:
        states = {name: state for name, state in kube.snapshot().states.items() if name in _KEPT}
        found = [*revisions(kube, steps)]
        reference = Reference(state_of(kube))
    with cluster(nodes=2, seed=2) as kube:
        reference.learn(carry_out(kube, steps))
    for at in found[::_EVERY]:
        with cluster(snapshot=restarted(at, states)) as kube:
            kube.clock.advance(_STEP_SECONDS)
            differences = reference.differences(carry_out(kube, steps[at.step + 1 :]))
        assert [f"{one}" for one in differences] == [], f"after a restart in step {at.step} at {at.now}"
