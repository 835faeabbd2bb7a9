"""Errors of storage that no verb expects, as answers to clients."""

from typing import Final

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.storage.errors import StorageFailed, StorageUnavailable

FAILURES: Final = (StorageFailed, StorageUnavailable)


def failure_of_storage(error: Exception) -> ApiError | None:
    """Return a 500 error with the message of storage, as the reference does for errors of etcd.

    Returns None if `error` is no failure of storage.
    """
    return unclassified(str(error)) if isinstance(error, FAILURES) else None
