"""Rollouts of Deployments, StatefulSets and DaemonSets, and the progress of Jobs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memkube.ui.reading import Reading, in_namespace

_APPS: Final = "/apis/apps/v1"
_BATCH: Final = "/apis/batch/v1"
_REVISION: Final = "deployment.kubernetes.io/revision"
_TOLD: Final = frozenset({"Progressing", "ReplicaFailure"})
"""Types of conditions that explain why a Deployment makes no progress."""


class Revision(NamedTuple):
    """A ReplicaSet or ControllerRevision with an earlier or the present pod template of a workload."""

    number: int
    name: str
    path: str
    pods: int | None
    """Number of pods with this template; None if the workload's status does not contain it."""


class Rollout(NamedTuple):
    """A workload with the numbers of its desired, updated and ready pods."""

    kind: str
    namespace: str
    name: str
    path: str
    wanted: int
    updated: int
    """Number of pods with the newest template. For a Job, number of pods that have succeeded or are running."""
    ready: int
    """Number of ready pods. For a Job, number of pods that have succeeded."""
    notes: Sequence[str]
    """Reasons why the rollout waits or fails, such as ``paused``."""
    revisions: Sequence[Revision]
    """Revisions of the pod template, the newest first."""

    @property
    def is_done(self) -> bool:
        """True if all desired pods have the newest template and are ready."""
        return self.updated >= self.wanted and self.ready >= self.wanted


async def rollouts_of(reading: Reading, namespace: str) -> list[Rollout]:
    """Return the rollouts of the workloads of a namespace, or of all namespaces if `namespace` is empty.

    `reading` gets the workloads from the API, as of the revision that the page shows.
    """
    replica_sets = _by_owner(await reading.items(in_namespace(_APPS, "replicasets", namespace)))
    histories = _by_owner(await reading.items(in_namespace(_APPS, "controllerrevisions", namespace)))
    deployments = await reading.items(in_namespace(_APPS, "deployments", namespace))
    stateful_sets = await reading.items(in_namespace(_APPS, "statefulsets", namespace))
    daemon_sets = await reading.items(in_namespace(_APPS, "daemonsets", namespace))
    jobs = await reading.items(in_namespace(_BATCH, "jobs", namespace))
    return [
        *(_deployment(one, replica_sets) for one in deployments),
        *(_stateful_set(one, histories) for one in stateful_sets),
        *(_daemon_set(one, histories) for one in daemon_sets),
        *map(_job, jobs),
    ]


class _Counts(NamedTuple):
    """Numbers of a workload's pods, as in Rollout."""

    wanted: int
    updated: int
    ready: int


def _deployment(document: Any, replica_sets: Mapping[str, Sequence[Any]]) -> Rollout:
    spec, status, metadata = document["spec"], document.get("status") or {}, document["metadata"]
    revisions = [
        Revision(
            int((one["metadata"].get("annotations") or {}).get(_REVISION) or 0),
            one["metadata"]["name"],
            f"{_APPS}/namespaces/{metadata['namespace']}/replicasets/{one['metadata']['name']}",
            _count(one.get("status") or {}, "replicas"),
        )
        for one in replica_sets.get(metadata["uid"], ())
    ]
    counts = _Counts(int(spec.get("replicas", 1)), _count(status, "updatedReplicas"), _count(status, "readyReplicas"))
    notes = ["paused"] if spec.get("paused") else []
    notes += [*_failed_conditions(status), *_unseen(document)]
    return _rollout("Deployment", _APPS, metadata, counts, notes, sorted(revisions, reverse=True))


def _stateful_set(document: Any, histories: Mapping[str, Sequence[Any]]) -> Rollout:
    spec, status, metadata = document["spec"], document.get("status") or {}, document["metadata"]
    pods = {str(status.get("currentRevision")): _count(status, "currentReplicas")}
    pods[str(status.get("updateRevision"))] = _count(status, "updatedReplicas")
    counts = _Counts(int(spec.get("replicas", 1)), _count(status, "updatedReplicas"), _count(status, "readyReplicas"))
    revisions = _history(metadata, histories, pods)
    return _rollout("StatefulSet", _APPS, metadata, counts, _unseen(document), revisions)


def _daemon_set(document: Any, histories: Mapping[str, Sequence[Any]]) -> Rollout:
    status, metadata = document.get("status") or {}, document["metadata"]
    keys = ("desiredNumberScheduled", "updatedNumberScheduled", "numberReady")
    counts = _Counts(*(_count(status, key) for key in keys))
    wrong = _count(status, "numberMisscheduled")
    notes = [f"{wrong} on nodes where none should run"] if wrong else []
    notes += _unseen(document)
    revisions = _history(metadata, histories, {})
    return _rollout("DaemonSet", _APPS, metadata, counts, notes, revisions)


def _job(document: Any) -> Rollout:
    spec, status, metadata = document["spec"], document.get("status") or {}, document["metadata"]
    succeeded, failed = _count(status, "succeeded"), _count(status, "failed")
    counts = _Counts(int(spec.get("completions") or 1), succeeded + _count(status, "active"), succeeded)
    notes = [f"{failed} failed"] if failed else []
    notes += ["suspended"] if spec.get("suspend") else []
    return _rollout("Job", _BATCH, metadata, counts, [*notes, *_failed_conditions(status)], ())


def _rollout(
    kind: str,
    root: str,
    metadata: Mapping[str, Any],
    counts: _Counts,
    notes: Sequence[str],
    revisions: Sequence[Revision],
) -> Rollout:
    """Return the Rollout of the workload of kind `kind` with this metadata.

    `root` is the path of its API group and version, such as ``/apis/apps/v1``. The other arguments become fields of the
    Rollout.
    """
    namespace, name = metadata["namespace"], metadata["name"]
    path = f"{in_namespace(root, f'{kind.lower()}s', namespace)}/{name}"
    return Rollout(kind, namespace, name, path, *counts, notes, revisions)


def _count(status: Mapping[str, Any], key: str) -> int:
    return int(status.get(key) or 0)


def _failed_conditions(status: Mapping[str, Any]) -> list[str]:
    """Return the messages of a Deployment's or Job's conditions that report a failure."""
    return [
        f"{one.get('reason', '')}: {one.get('message', '')}"
        for one in status.get("conditions") or ()
        if (one["type"] in _TOLD and (one["status"] == "True") == (one["type"] == "ReplicaFailure"))
        or (one["type"] == "Failed" and one["status"] == "True")
    ]


def _unseen(document: Any) -> list[str]:
    """Return a list with a note if the controller has not seen the newest generation of a workload, else empty."""
    seen = (document.get("status") or {}).get("observedGeneration") or 0
    return [] if seen >= document["metadata"].get("generation", 0) else ["the controller has not seen the newest spec"]


def _history(
    metadata: Mapping[str, Any], histories: Mapping[str, Sequence[Any]], counts: Mapping[str, int]
) -> list[Revision]:
    found = (
        Revision(
            int(one["revision"]),
            one["metadata"]["name"],
            f"{_APPS}/namespaces/{metadata['namespace']}/controllerrevisions/{one['metadata']['name']}",
            counts.get(one["metadata"]["name"], 0 if counts else None),
        )
        for one in histories.get(metadata["uid"], ())
    )
    return sorted(found, key=lambda revision: revision.number, reverse=True)


def _by_owner(items: Sequence[Any]) -> dict[str, list[Any]]:
    """Return objects, keyed by the uid of the controller that owns them."""
    found: dict[str, list[Any]] = {}
    for item in items:
        for uid in _controllers(item):
            found.setdefault(uid, []).append(item)
    return found


def _controllers(document: Any) -> Iterator[str]:
    for owner in document["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            yield owner["uid"]
