"""Slow start: many similar requests in batches of growing size (``slowStartBatch`` of ``controller/replicaset``)."""

from collections.abc import Awaitable, Callable, Sequence
from sys import maxsize
from typing import TypeVar

from memkube.apimachinery.errors import ApiError

T = TypeVar("T")


async def slow_start(
    items: Sequence[T], write: Callable[[T], Awaitable[object]], largest_batch: int = maxsize
) -> ApiError | None:
    """Call `write` for each item, in batches that double in size up to `largest_batch`.

    After an ApiError no further batch begins, so that few requests fail if all would fail. Returns the first ApiError,
    or None.
    """
    done, size, failure = 0, 1, None
    while done < len(items) and failure is None:
        for item in items[done : done + size]:
            try:
                await write(item)
            except ApiError as error:
                failure = failure or error
        done, size = done + size, min(size * 2, largest_batch)
    return failure
