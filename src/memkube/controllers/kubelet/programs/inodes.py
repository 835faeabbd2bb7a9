"""Inodes of simulated files, and the volumes that are mounted in a container."""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

FILE_MODE: Final = stat.S_IFREG | 0o644
DIRECTORY_MODE: Final = stat.S_IFDIR | 0o755
LINK_MODE: Final = stat.S_IFLNK | 0o777
DATA_LINK: Final = "..data"
"""Name of the symbolic link to the current directory of a volume that the kubelet writes (``AtomicWriter``)."""


@dataclass(slots=True)
class Inode:
    """A file, directory or symbolic link that a program made."""

    data: bytearray
    """The contents of a file, or the target of a symbolic link."""
    mode: int = FILE_MODE
    """Type and permissions, as in ``st_mode``."""
    uid: int = 0
    gid: int = 0
    modified: float = 0.0
    """Seconds from the epoch to the last change of the contents."""

    def __len__(self) -> int:
        """Return the size of the contents in bytes."""
        return len(self.data)

    @property
    def is_directory(self) -> bool:
        """True for a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """True for a symbolic link."""
        return stat.S_ISLNK(self.mode)


Contents: TypeAlias = dict[str, Inode]
"""Inodes by path, relative to the root of a volume, or absolute for the files of a container."""


class FileStatus(NamedTuple):
    """Type, permissions, owner, size and modification time of a file, as ``stat`` prints them."""

    mode: int
    uid: int = 0
    gid: int = 0
    size: int = 0
    modified: float = 0.0
    target: str = ""
    """Target of a symbolic link; empty for other files."""

    @property
    def is_directory(self) -> bool:
        """True for a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """True for a symbolic link."""
        return stat.S_ISLNK(self.mode)


class Mount(NamedTuple):
    """A volume that is mounted in a container."""

    source: str
    """Device or file system, as in ``/proc/mounts``."""
    kind: str
    """Type of the file system, as in ``/proc/mounts``."""
    mode: int = DIRECTORY_MODE
    """Type and permissions of the root of the volume."""
    gid: int = 0
    written: float = 0.0
    """Seconds from the epoch to the time at which the kubelet wrote the contents."""
    directory: str = ""
    """Name of the directory to which ``..data`` leads; empty for a volume that the kubelet does not write."""
    modes: Mapping[str, int] = MappingProxyType({})
    """Permissions of the files that the kubelet wrote, by path in the volume; ``*`` stands for other files."""
    uids: Mapping[str, int] = MappingProxyType({})
    """User IDs of the files that the kubelet wrote and that do not belong to root, by path in the volume."""
    is_read_only: bool = False
    size: int = 0
    """Size of the file system in bytes."""
