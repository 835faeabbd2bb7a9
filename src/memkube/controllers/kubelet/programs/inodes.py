"""Inodes of simulated files, and the volumes that are mounted in a container."""

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

FILE_MODE: Final = stat.S_IFREG | 0o644
DIRECTORY_MODE: Final = stat.S_IFDIR | 0o755
LINK_MODE: Final = stat.S_IFLNK | 0o777
DATA_LINK: Final = "..data"
"""Name of the symbolic link in a volume that leads to the files which the kubelet wrote last (``AtomicWriter``)."""


@dataclass(slots=True)
class Inode:
    """A file, directory or symbolic link that programs can change."""

    data: bytearray
    """Contents of a file, or target of a symbolic link."""
    mode: int = FILE_MODE
    """Type and permissions of the file, as in ``st_mode``."""
    uid: int = 0
    gid: int = 0
    modified: float = 0.0
    """Time of the last change of the contents, in seconds since 1970."""

    def __len__(self) -> int:
        """Return the size of the file's contents in bytes."""
        return len(self.data)

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


Contents: TypeAlias = dict[str, Inode]
"""Files by path: relative to the root of a volume, or absolute for files of a container outside of volumes."""


class SharedVolume(NamedTuple):
    """A writable volume of a pod, or the part of it that a container mounts."""

    contents: Contents
    """The files of the whole volume."""
    sub_path: str = ""
    """Path of the mounted directory or file within the volume; empty if the whole volume is mounted."""

    def key(self, path: str) -> str:
        """Return the key in `contents` of a path that is relative to the mount path."""
        return f"{self.sub_path}/{path}".strip("/")

    def paths(self) -> Iterator[str]:
        """Yield the paths of the files below the mount path, relative to it."""
        below = f"{self.sub_path}/" if self.sub_path else ""
        return (path.removeprefix(below) for path in self.contents if path.startswith(below))


class FileStatus(NamedTuple):
    """Type, permissions, owner, size and modification time of a file, from which ``stat`` prints."""

    mode: int
    uid: int = 0
    gid: int = 0
    size: int = 0
    modified: float = 0.0
    target: str = ""
    """Target of a symbolic link; empty if this is not a symbolic link."""

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


class Mount(NamedTuple):
    """A volume that is mounted in a container: its entry in ``/proc/mounts``, and who may read and write its files."""

    source: str
    """Device or file system of the volume, as in ``/proc/mounts``."""
    kind: str
    """Type of the volume's file system, as in ``/proc/mounts``."""
    mode: int = DIRECTORY_MODE
    """Type and permissions of the volume's root directory, as in ``st_mode``."""
    gid: int = 0
    written: float = 0.0
    """Time at which the kubelet last wrote the volume's files, in seconds since 1970."""
    directory: str = ""
    """Name of the directory to which ``..data`` leads; empty if the kubelet does not write the volume's files."""
    modes: Mapping[str, int] = MappingProxyType({})
    """Permissions of the files that the kubelet wrote, by path in the volume. The path ``*`` means all other files."""
    uids: Mapping[str, int] = MappingProxyType({})
    """User IDs of the files that the kubelet wrote, by path in the volume.

    Files that are missing here belong to root.
    """
    is_read_only: bool = False
    size: int = 0
    """Size of the volume's file system in bytes."""
