"""What storage refuses.

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
    """Base of everything that a storage engine raises on purpose."""


class KeyExists(StorageError):
    """Create found a value under the key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class KeyNotFound(StorageError):
    """There is no value under the key; ``revision`` is the storage's newest."""

    def __init__(self, key: str, revision: int) -> None:
        super().__init__(key)
        self.key = key
        self.revision = revision


class RevisionCompacted(StorageError):
    """The history asked for is forgotten; ``oldest`` is the first revision still answered."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} is compacted, oldest is {oldest}")
        self.revision = revision
        self.oldest = oldest


class RevisionInFuture(StorageError):
    """The revision asked for has not happened yet."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is ahead of {current}")
        self.revision = revision
        self.current = current


class StorageRestored(StorageError):
    """What was to be written is based on values that a restore has replaced meanwhile; nothing was written."""


class StorageClosed(StorageError):
    """The storage was closed: nothing more will happen to watch."""


class RestoreRefused(StorageError):
    """This engine cannot replace everything at once; nothing was written."""


class StorageFailed(StorageError):
    """What was to be written could not be kept, such as on a full disk; nothing was written."""


class StorageUnavailable(StorageError):
    """The store does not answer; whether what was being written was written is not known."""


class StorageUnusable(StorageError):
    """A storage cannot be opened: it is somebody else's, of another kind or version, or damaged."""
