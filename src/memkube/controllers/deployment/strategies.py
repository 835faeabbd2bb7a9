"""The two ways from old pods to new ones (``rolling.go``, ``recreate.go``)."""

from collections.abc import Callable, Iterable

from memkube.controllers.deployment.rollout import Held, Rollout
from memkube.controllers.deployment.sizes import desired, new_size, total, unavailable, wanted
from memkube.controllers.workloads.pod_state import is_ended
from memkube.registry.stored import StoredObject


class _OutdatedStatus(Exception):
    """A ReplicaSet was made smaller, and its status still tells of more available pods than it wants."""


async def roll(rollout: Rollout) -> None:
    """Takes one step: more new pods as long as there is room, else fewer old ones as long as enough are available."""
    await rollout.ensure_new()
    if await _grow(rollout) or await _shrink(rollout):
        await rollout.write_progress()
        return
    await rollout.clean_up_if_complete()
    await rollout.write_progress()


async def recreate(rollout: Rollout, pods_of: Callable[[str], Iterable[StoredObject]]) -> None:
    """Ends all old pods, waits until they are gone, and makes the new ones."""
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


async def _take(rollout: Rollout, old: Iterable[Held], most: int, part: Callable[[Held], int]) -> int:
    """Takes at most so many pods from old ReplicaSets, the oldest first."""
    taken = 0
    for held in old:
        if taken >= most:
            break
        count = min(most - taken, part(held), wanted(held.model))
        if count > 0:
            await rollout.scale(held, wanted(held.model) - count)
            taken += count
    return taken


def _unavailable_pods(held: Held) -> int:
    count = wanted(held.model) - held.model.status.availableReplicas
    if count < 0:
        raise _OutdatedStatus
    return count
