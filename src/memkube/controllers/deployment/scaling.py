"""Other numbers of pods, in the midst of an update or outside one (``sync.go``: scale)."""

from collections.abc import Sequence

from memkube.controllers.deployment.annotations import desired_when_scaled, largest_when_scaled
from memkube.controllers.deployment.rollout import Held, Rollout
from memkube.controllers.deployment.sizes import desired, is_rolling, largest, proportion, total, wanted


def is_scaled(rollout: Rollout) -> bool:
    """Whether the Deployment wants another number of pods than when its ReplicaSets were scaled last."""
    active = (desired_when_scaled(model) for model in rollout.models if wanted(model))
    return any(number is not None and number != desired(rollout.deployment) for number in active)


async def spread(rollout: Rollout) -> None:
    """Scales the ReplicaSets to another number of pods, without going on with an update."""
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


def _lone(rollout: Rollout, active: Sequence[Held]) -> Held | None:
    """The one ReplicaSet that wants pods, or the newest where none does."""
    if len(active) > 1:
        return None
    return active[0] if active else rollout.new or (rollout.old[-1] if rollout.old else None)


def _is_saturated(rollout: Rollout) -> bool:
    if rollout.new is None:
        return False
    new, count = rollout.new.model, desired(rollout.deployment)
    return wanted(new) == desired_when_scaled(new) == new.status.availableReplicas == count


def _proportions(rollout: Rollout, active: list[Held]) -> list[tuple[Held, int]]:
    deployment = rollout.deployment
    allowed = largest(deployment) if desired(deployment) > 0 else 0
    to_add, added = allowed - total(held.model for held in active), 0
    if to_add:
        # Of ReplicaSets of one size the newer grow first, and the older shrink first.
        active = sorted(active, key=lambda held: held.model.metadata.creationTimestamp or "", reverse=to_add > 0)
        active.sort(key=lambda held: -wanted(held.model))
    sizes: list[tuple[Held, int]] = []
    for held in active:
        share = proportion(held.model, deployment, largest_when_scaled(held.model), to_add, added)
        added += share
        sizes.append((held, wanted(held.model) + share))
    if to_add and sizes:
        first, size = sizes[0]
        sizes[0] = first, max(size + to_add - added, 0)
    return sizes
