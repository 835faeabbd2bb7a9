"""Errors of storage engines.

::

    StorageError
    ├── KeyExists
    ├── KeyNotFound
    ├── RevisionCompacted
    ├── RevisionInFuture
    ├── StorageRestored
    ├── StorageClosed
    ├── RestoreRefused
    ├── StorageFailed
    ├── StorageUnavailable
    └── StorageUnusable
"""


class StorageError(Exception):
    """Base class of the errors that storage engines raise."""


class KeyExists(StorageError):
    """Raised if the key of a `create` already has a value."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class KeyNotFound(StorageError):
    """Raised if a key has no value; ``revision`` is the newest revision of the storage."""

    def __init__(self, key: str, revision: int) -> None:
        super().__init__(key)
        self.key = key
        self.revision = revision


class RevisionCompacted(StorageError):
    """Raised if a read or watch needs compacted history; ``oldest`` is the oldest revision that is available."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} is compacted, oldest is {oldest}")
        self.revision = revision
        self.oldest = oldest


class RevisionInFuture(StorageError):
    """Raised if a read requests a revision later than the newest revision of the storage."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is ahead of {current}")
        self.revision = revision
        self.current = current


class StorageRestored(StorageError):
    """Raised if a snapshot was restored while a value was being changed. Nothing was written."""


class StorageClosed(StorageError):
    """Raised if an operation is called after the storage was closed, or is waiting when the storage is closed."""


class RestoreRefused(StorageError):
    """Raised if the engine cannot restore snapshots. Nothing was written."""


class StorageFailed(StorageError):
    """Raised if a write failed, for example because the disk is full. Nothing was written."""


class StorageUnavailable(StorageError):
    """Raised if the storage server does not answer. A write that was in progress may have been committed or not."""


class StorageUnusable(StorageError):
    """Raised if the storage cannot be opened: it is in use, is damaged, or has an unsupported format."""
