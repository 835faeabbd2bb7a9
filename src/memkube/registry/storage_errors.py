"""Conversion of unexpected storage errors to responses."""

from typing import Final

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.storage.errors import StorageFailed, StorageUnavailable

FAILURES: Final = (StorageFailed, StorageUnavailable)


def failure_of_storage(error: Exception) -> ApiError | None:
    """Return a 500 error with the message of a storage failure, as kube-apiserver does for errors of etcd.

    Return None if `error` is not a storage failure.
    """
    return unclassified(str(error)) if isinstance(error, FAILURES) else None
