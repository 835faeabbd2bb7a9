"""Scales a Deployment's ReplicaSets: for a rolling update, for Recreate, or in proportion to their sizes.

Sources: ``rolling.go``, ``recreate.go`` and ``sync.go`` in ``pkg/controller/deployment``.
"""

from collections.abc import Callable, Iterable, Sequence

from memkube.controllers.deployment.rollout import Rollout, StoredReplicaSet
from memkube.controllers.deployment.sizes import (
    desired,
    desired_when_scaled,
    is_rolling,
    largest,
    largest_when_scaled,
    new_size,
    proportion,
    total,
    unavailable,
    wanted,
)
from memkube.controllers.workloads.pod_state import is_ended
from memkube.registry.objects.stored import StoredObject


def is_scaled(rollout: Rollout) -> bool:
    """True if the Deployment's replicas have changed since its ReplicaSets were last scaled."""
    active = (desired_when_scaled(model) for model in rollout.models if wanted(model))
    return any(number is not None and number != desired(rollout.deployment) for number in active)


async def spread(rollout: Rollout) -> None:
    """Distribute a Deployment's changed number of replicas over its ReplicaSets, without continuing the rollout."""
    count, active = desired(rollout.deployment), [held for held in rollout.sets if wanted(held.model)]
    lone = _lone(rollout, active)
    if lone is not None:
        if wanted(lone.model) != count:
            await rollout.scale(lone, count)
    elif _is_saturated(rollout):
        for held in rollout.active_old():
            await rollout.scale(held, 0)
    elif is_rolling(rollout.deployment):
        for held, size in _proportions(rollout, active):
            await rollout.scale(held, size, noting=True)


def _lone(rollout: Rollout, active: Sequence[StoredReplicaSet]) -> StoredReplicaSet | None:
    """Return the only ReplicaSet that has replicas. If none has replicas, return the newest one.

    `active` are the ReplicaSets that have replicas. Returns None if there are several of them.
    """
    if len(active) > 1:
        return None
    return active[0] if active else rollout.new or (rollout.old[-1] if rollout.old else None)


def _is_saturated(rollout: Rollout) -> bool:
    if rollout.new is None:
        return False
    new, count = rollout.new.model, desired(rollout.deployment)
    return wanted(new) == desired_when_scaled(new) == new.status.availableReplicas == count


def _proportions(rollout: Rollout, active: list[StoredReplicaSet]) -> list[tuple[StoredReplicaSet, int]]:
    deployment = rollout.deployment
    allowed = largest(deployment) if desired(deployment) > 0 else 0
    to_add, added = allowed - total(held.model for held in active), 0
    if to_add:
        # The largest ReplicaSets change first. Among ReplicaSets of equal size, the newest grow first and the oldest
        # shrink first.
        active = sorted(active, key=_age, reverse=to_add > 0)
        active.sort(key=lambda held: -wanted(held.model))
    sizes: list[tuple[StoredReplicaSet, int]] = []
    for held in active:
        share = proportion(held.model, deployment, largest_when_scaled(held.model), to_add, added)
        added += share
        sizes.append((held, wanted(held.model) + share))
    if to_add and sizes:
        first, size = sizes[0]
        sizes[0] = first, max(size + to_add - added, 0)
    return sizes


def _age(held: StoredReplicaSet) -> tuple[str, str]:
    return held.model.metadata.creationTimestamp or "", held.stored.name


class _OutdatedStatus(Exception):
    """Raised if the status of a ReplicaSet still reports more available pods than its spec requests."""


async def roll(rollout: Rollout) -> None:
    """Do one step of a rolling update: scale up the new ReplicaSet if allowed, otherwise scale down old ones."""
    await rollout.ensure_new()
    if await _grow(rollout) or await _shrink(rollout):
        await rollout.write_progress()
        return
    await rollout.clean_up_if_complete()
    await rollout.write_progress()


async def recreate(rollout: Rollout, pods_of: Callable[[str], Iterable[StoredObject]]) -> None:
    """Do one step of the strategy Recreate.

    Scale down all old ReplicaSets. Once their pods have ended, scale up the new ReplicaSet. `pods_of` takes the uid of
    a ReplicaSet and returns its pods.
    """
    await rollout.renew()
    scaled = [await rollout.scale(held, 0) for held in rollout.active_old()]
    if any(scaled) or _old_pods_run(rollout, pods_of):
        await rollout.write_progress()
        return
    await rollout.ensure_new()
    assert rollout.new is not None
    await rollout.scale(rollout.new, desired(rollout.deployment))
    await rollout.clean_up_if_complete()
    await rollout.write_progress()


def _old_pods_run(rollout: Rollout, pods_of: Callable[[str], Iterable[StoredObject]]) -> bool:
    if any(held.model.status.replicas for held in rollout.old):
        return True
    return any(not is_ended(pod) for held in rollout.old for pod in pods_of(held.stored.uid))


async def _grow(rollout: Rollout) -> bool:
    assert rollout.new is not None
    size, count = wanted(rollout.new.model), desired(rollout.deployment)
    if size != count:
        size = count if size > count else new_size(rollout.deployment, rollout.models, size)
    return await rollout.scale(rollout.new, size)


async def _shrink(rollout: Rollout) -> bool:
    assert rollout.new is not None
    new, old = rollout.new.model, rollout.active_old()
    fewest = desired(rollout.deployment) - unavailable(rollout.deployment)
    spare = total(rollout.models) - fewest - (wanted(new) - new.status.availableReplicas)
    if not old or spare <= 0:
        return False
    try:
        unhealthy = await _take(rollout, old, spare, _unavailable_pods)
    except _OutdatedStatus:
        return False
    available = sum(held.model.status.availableReplicas for held in [*old, rollout.new])
    healthy = await _take(rollout, old, available - fewest, lambda held: wanted(held.model))
    return unhealthy + healthy > 0


async def _take(
    rollout: Rollout, old: Iterable[StoredReplicaSet], most: int, part: Callable[[StoredReplicaSet], int]
) -> int:
    """Scale down old ReplicaSets by at most `most` replicas in total, beginning with the oldest ReplicaSet.

    `part` takes a ReplicaSet and returns how many replicas it may lose. Returns the number of removed replicas.
    """
    taken = 0
    for held in old:
        if taken >= most:
            break
        count = min(most - taken, part(held), wanted(held.model))
        if count > 0:
            await rollout.scale(held, wanted(held.model) - count)
            taken += count
    return taken


def _unavailable_pods(held: StoredReplicaSet) -> int:
    count = wanted(held.model) - held.model.status.availableReplicas
    if count < 0:
        raise _OutdatedStatus
    return count
