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
    """Raised if a value exists already under the key of a `create`."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class KeyNotFound(StorageError):
    """Raised if no value exists under the key; ``revision`` is the newest revision of the storage."""

    def __init__(self, key: str, revision: int) -> None:
        super().__init__(key)
        self.key = key
        self.revision = revision


class RevisionCompacted(StorageError):
    """Raised if the requested history is compacted; ``oldest`` is the oldest revision that is available."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} is compacted, oldest is {oldest}")
        self.revision = revision
        self.oldest = oldest


class RevisionInFuture(StorageError):
    """Raised if the requested revision is later than the newest revision in storage."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is ahead of {current}")
        self.revision = revision
        self.current = current


class StorageRestored(StorageError):
    """Raised if a restore replaced the value while it was being changed. Nothing was written."""


class StorageClosed(StorageError):
    """Raised if an operation was called after the storage was closed, or was waiting when it was closed."""


class RestoreRefused(StorageError):
    """Raised if the engine does not support restoring a snapshot. Nothing was written."""


class StorageFailed(StorageError):
    """Raised if the write failed, for example because the disk is full. Nothing was written."""


class StorageUnavailable(StorageError):
    """Raised if the storage server does not answer. A write in progress may or may not have been committed."""


class StorageUnusable(StorageError):
    """Raised if the storage cannot be opened: it is in use, is damaged, or has an unsupported format."""
