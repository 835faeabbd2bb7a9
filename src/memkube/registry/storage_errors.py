"""What storage cannot do, told to clients: those of its errors that no verb expects."""

from typing import Final

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.storage.errors import StorageFailed, StorageUnavailable

FAILURES: Final = (StorageFailed, StorageUnavailable)


def failure_of_storage(error: Exception) -> ApiError | None:
    """500 in the words of storage, as the reference answers with errors of etcd; None for other failures."""
    return unclassified(str(error)) if isinstance(error, FAILURES) else None
