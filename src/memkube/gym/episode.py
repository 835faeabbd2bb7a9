"""One episode: a broken cluster, the agent's user, and the grader's verdict about the agent's changes."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from memkube.cluster.synchronous import Memkube
from memkube.errors import Refused
from memkube.gym.evidence import Beginning, DamageSearch, Finding, Objects, all_objects
from memkube.gym.pack import Task, read_task
from memkube.snapshots.snapshot import Snapshot

AGENT: Final = "agent"
"""Name of the user with whose kubeconfig the agent connects to the cluster."""
_NODES: Final = 3
_START: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_GROUP: Final = "rbac.authorization.k8s.io"
_ADMINISTRATOR: Final = "agent-in-namespace"
_OBSERVER: Final = "agent-in-cluster"
_STREAMS: Final = ("log", "exec", "attach")
_ALL: Final = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
_READABLE: Final = {
    "apiGroups": ["", "storage.k8s.io", "scheduling.k8s.io", "networking.k8s.io"],
    "resources": ["nodes", "namespaces", "persistentvolumes", "storageclasses", "priorityclasses", "ingressclasses"],
    "verbs": ["get", "list", "watch"],
}
_FIRST_SECONDS: Final = 20.0
_BROKEN_SECONDS: Final = 60.0
_STABLE_SECONDS: Final = 60.0
_MOST_PREPARED: Final = 64


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared broken cluster: the snapshot that an episode of the task restores."""

    task: Task
    snapshot: Snapshot
    objects: Objects


class Preparations:
    """Caches the prepared broken clusters for several environments, by task and seed.

    If the cache is full, adding a cluster removes the one that was added first.
    """

    def __init__(self) -> None:
        self._prepared: OrderedDict[tuple[str, int], Prepared] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str, seed: int) -> Prepared | None:
        """Return the prepared cluster of a task and a seed, or None if it has not been prepared yet."""
        with self._lock:
            return self._prepared.get((name, seed))

    def put(self, name: str, seed: int, prepared: Prepared) -> None:
        """Store a prepared cluster for later episodes of the task with this seed."""
        with self._lock:
            self._prepared[name, seed] = prepared
            if len(self._prepared) > _MOST_PREPARED:
                self._prepared.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judgement of an episode: the goals that are not reached, and the forbidden changes of the agent."""

    unmet: Sequence[str]
    """Messages about the goals that are not reached, one line each."""
    damage: Sequence[Finding]
    """Changes by the agent that the task does not allow, and invariants that were false at some time."""

    @property
    def solved(self) -> bool:
        """True if all goals are reached and the agent made no forbidden change."""
        return not self.unmet and not self.damage

    @property
    def lost(self) -> bool:
        """True if the agent made a forbidden change that it cannot undo."""
        return any(finding.is_final for finding in self.damage)

    @property
    def reasons(self) -> list[str]:
        """Messages about goals that are not reached and about forbidden changes; empty if the task is solved."""
        return [*self.unmet, *(finding.text for finding in self.damage)]


class Stage:
    """A cluster on which one episode runs after another."""

    def __init__(self) -> None:
        self._kube = Memkube(
            nodes=_NODES,
            clock="stepped",
            start=_START,
            seed=0,
            authorization="RBAC",
            # The administrator's token is only in this process. A kubeconfig file with it could be read by the agent.
            token=secrets.token_urlsafe(),
        )
        self._kube.__enter__()
        self._kube.clock.advance(_FIRST_SECONDS)
        self._empty = self._kube.snapshot()
        self.agent = self._kube.user(AGENT)
        """The agent's user, with its kubeconfig."""

    def close(self) -> None:
        """Stop the cluster's server."""
        self._kube.__exit__(None, None, None)

    def advance(self, seconds: float) -> None:
        """Advance the clock of the cluster, and wait until its controllers have reacted."""
        self._kube.clock.advance(seconds)

    def is_awaited(self) -> bool:
        """Return True if a watch or a stream (``log``, ``exec`` or ``attach``) of the agent is open."""
        requests = self._kube.requests.by(AGENT).under_way()
        return any(request.verb == "watch" or request.subresource in _STREAMS for request in requests)

    def begin(self, name: str, seed: int, preparations: Preparations) -> "Episode":
        """Begin an episode of a task, and end the previous episode on this server.

        The broken cluster comes from the cache `preparations`. If the cache does not have it, the cluster is created,
        which takes longer, and added to the cache. Raises UsageError if no task has this name.
        """
        prepared = preparations.get(name, seed)
        if prepared is None:
            prepared = self._prepare(read_task(name, seed))
            preparations.put(name, seed, prepared)
        self._kube.restore(prepared.snapshot)
        self._kube.clock.advance(0)
        return Episode(self._kube, prepared)

    def _prepare(self, task: Task) -> Prepared:
        """Create the objects of a task in an empty cluster, and apply the steps that break it."""
        kube = self._kube
        kube.restore(self._empty)
        kube.apply(_rights(task))
        for name, rule in task.rules.items():
            kube.behaviors.put(name, rule)
        kube.apply(task.manifests)
        kube.clock.advance(_FIRST_SECONDS)
        for step in task.steps:
            if step.apply:
                kube.apply(step.apply, force=True)
            if step.delete:
                kube.delete(step.delete.resource, step.delete.name, namespace=step.delete.namespace)
            for node, amounts in step.available.items():
                kube.nodes.set_available(node, amounts)
            kube.clock.advance(step.advance)
        kube.clock.advance(_BROKEN_SECONDS)
        return Prepared(task, kube.snapshot(), all_objects(kube))


class Episode:
    """One attempt at a task on a broken cluster, from the beginning to the verdict."""

    def __init__(self, kube: Memkube, prepared: Prepared) -> None:
        self._kube = kube
        self.task = prepared.task
        self._beginning = Beginning.of(kube, prepared.objects)
        self._damage = DamageSearch(kube, self._beginning, self.task.grader.changes)

    def advance(self, seconds: float) -> None:
        """Advance the clock of the cluster, and wait until its controllers have reacted."""
        self._kube.clock.advance(seconds)

    def verdict(self, patience: float = 0) -> Verdict:
        """Judge what the agent has done so far.

        First, the clock advances by at most `patience` seconds, until all goals of the task are reached. If they are,
        it advances by another minute, and the goals must still be reached then.
        """
        unmet = self._unmet()
        while unmet and patience > 0:
            self.advance(min(patience, _BROKEN_SECONDS))
            patience -= _BROKEN_SECONDS
            unmet = self._unmet()
        if not unmet:
            self.advance(_STABLE_SECONDS)
            unmet = self._unmet()
        return Verdict(unmet, [*self._damage.found(), *self._broken()])

    def _unmet(self) -> list[str]:
        return [failure for goal in self.task.grader.goals if (failure := goal.failure(self._kube))]

    def _broken(self) -> list[Finding]:
        """Return a Finding (an error of the agent) for each invariant of the task that was false during the episode.

        Every revision of the invariant's object is checked. If its history cannot be read, this is a Finding too.
        """
        findings = []
        for invariant in self.task.grader.always:
            try:
                history = self._kube.history(
                    invariant.resource,
                    invariant.name,
                    namespace=invariant.namespace,
                    since=self._beginning.revision,
                )
            except Refused as error:
                findings.append(Finding(f"the history cannot be read: {error}", is_final=True))
                continue
            failures = [invariant.failure_of(revision.document) for revision in history]
            findings += [Finding(f"for a while, {failure}", is_final=True) for failure in failures if failure][:1]
        return findings


def _rights(task: Task) -> list[dict[str, Any]]:
    """Return the manifests of a task's namespaces, and of the roles and bindings that give the agent its rights."""
    agent = [{"apiGroup": _GROUP, "kind": "User", "name": AGENT}]
    roles = {_ADMINISTRATOR: [_ALL], _OBSERVER: [_READABLE, *task.rights]}
    objects: list[dict[str, Any]] = [
        {"apiVersion": f"{_GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}
        for name, rules in roles.items()
    ]
    bindings = [("ClusterRoleBinding", _OBSERVER, {}), *_bindings_in(task.namespaces)]
    for kind, role, scope in bindings:
        objects.append(
            {
                "apiVersion": f"{_GROUP}/v1",
                "kind": kind,
                "metadata": {"name": role, **scope},
                "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": role},
                "subjects": agent,
            }
        )
    namespaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}} for namespace in task.namespaces
    ]
    return [*namespaces, *objects]


def _bindings_in(namespaces: Sequence[str]) -> list[tuple[str, str, dict[str, str]]]:
    return [("RoleBinding", _ADMINISTRATOR, {"namespace": namespace}) for namespace in namespaces]
