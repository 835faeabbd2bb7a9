"""Distributes endpoints that have the same ports over EndpointSlices (``reconcileByPortMapping``)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.endpoint_slices.slices import EndpointKey, Plan, Slice, endpoint_key, same_endpoint

MOST_ENDPOINTS: Final = 100
"""Maximum number of endpoints in an EndpointSlice (``--max-endpoints-per-slice``)."""


def pack(
    existing: Sequence[Slice],
    desired: Mapping[EndpointKey, Document],
    labels: Callable[[Slice], tuple[dict[str, str], bool]],
    new_slice: Callable[[], Slice],
) -> Plan:
    """Plan how to put the desired endpoints into EndpointSlices with as few writes as possible.

    `existing` are the present slices. `labels` takes a slice and returns a pair: the labels that the slice should have,
    and True if they must be written. `new_slice` returns an empty slice.

    Desired endpoints that are in no slice are added first to slices that must be written anyway, then to one unchanged
    slice with room for all of them, then to new slices.
    """
    missing = dict(desired)
    plan, unchanged = Plan(), list[Slice]()
    for each in existing:
        _keep_desired(each, missing, labels, plan, unchanged)
    for each in sorted(plan.update, key=lambda each: len(each.endpoints), reverse=True) if missing else ():
        _fill(each, missing)
    while missing:
        filled = _slice_with_room(unchanged, len(missing))
        if filled is None:
            filled = new_slice()
            plan.create.append(filled)
        else:
            unchanged.remove(filled)
            plan.update.append(filled)
        _fill(filled, missing)
    return plan


def _keep_desired(
    each: Slice,
    missing: dict[EndpointKey, Document],
    labels: Callable[[Slice], tuple[dict[str, str], bool]],
    plan: Plan,
    unchanged: list[Slice],
) -> None:
    """Remove endpoints that are not desired from the EndpointSlice `each`, and plan its update or deletion.

    `missing` has the desired endpoints that no slice processed so far contains. Those in `each` are removed from it.
    `labels` takes a slice and returns a pair: the labels that the slice should have, and True if they must be written.

    The slice is added to `plan`, for deletion if it loses all its endpoints, otherwise for an update. A slice that need
    not be written is added to `unchanged` instead.
    """
    kept, is_updated = list[Document](), False
    for endpoint in each.endpoints:
        wanted = missing.pop(endpoint_key(endpoint), None)
        if wanted is not None:
            kept.append(wanted)
            is_updated = is_updated or not same_endpoint(wanted, endpoint)
    wanted_labels, labels_changed = labels(each)
    if is_updated or len(each.endpoints) != len(kept):
        if not kept:
            plan.delete.append(each)
            return
        each.endpoints, each.labels = kept, wanted_labels
        plan.update.append(each)
    elif labels_changed:
        each.labels = wanted_labels
        plan.update.append(each)
    else:
        unchanged.append(each)


def _slice_with_room(slices: Sequence[Slice], count: int) -> Slice | None:
    """Return the fullest EndpointSlice with room for `count` more endpoints, or None if there is none."""
    if count >= MOST_ENDPOINTS:
        return None
    room = [each for each in slices if len(each.endpoints) + count <= MOST_ENDPOINTS]
    return max(room, key=lambda each: len(each.endpoints), default=None)


def _fill(each: Slice, missing: dict[EndpointKey, Document]) -> None:
    """Move endpoints from `missing` into the EndpointSlice `each` until the slice is full."""
    for key in list(missing)[: max(MOST_ENDPOINTS - len(each.endpoints), 0)]:
        each.endpoints.append(missing.pop(key))
