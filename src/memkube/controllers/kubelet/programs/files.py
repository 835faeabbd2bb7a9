"""The files of a simulated container: its volumes, files that its programs wrote, and a few files of every image."""

import posixpath
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from memkube.controllers.kubelet.programs.inodes import (
    DATA_LINK,
    DIRECTORY_MODE,
    FILE_MODE,
    LINK_MODE,
    Contents,
    FileStatus,
    Inode,
    Mount,
    SharedVolume,
)

MOST_BYTES: Final = 64 * 1024 * 1024
NOTHING: Final = "/dev/null"
_MOUNT_TABLE: Final = "/proc/mounts"
_SYSTEM_MOUNTS: Final = (
    "overlay / overlay {root},relatime 0 0",
    "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0",
    "tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0",
    "devpts /dev/pts devpts rw,nosuid,noexec,relatime,gid=5,mode=620,ptmxmode=666 0 0",
    "mqueue /dev/mqueue mqueue rw,nosuid,nodev,noexec,relatime 0 0",
    "sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0",
    "cgroup /sys/fs/cgroup cgroup2 ro,nosuid,nodev,noexec,relatime 0 0",
)
"""Lines that ``/proc/mounts`` has in every container of containerd."""
DIRECTORY_BYTES: Final = 4096
"""Size in bytes that ``stat`` shows for a directory, as on ext4."""
_READ, _WRITE = 4, 2
_MOST_LINKS: Final = 40
_NO_VOLUMES: Final[Mapping[str, SharedVolume]] = {}
_NO_MOUNTS: Final[Mapping[str, Mount]] = {}
_DIRECTORIES: Final = frozenset(
    f"/{top}{name}"
    for top, names in (
        ("", "bin dev etc home lib mnt opt proc root run sbin srv sys tmp usr var"),
        ("usr/", "bin lib local share"),
        ("var/", "lib log run tmp"),
    )
    for name in names.split()
)
"""Directories that exist in every image."""
_DIRECTORY_MODES: Final = {"/tmp": 0o1777, "/var/tmp": 0o1777, "/root": 0o700, "/proc": 0o555}  # noqa: S108  simulated
_IMAGE_FILES: Final[Mapping[str, bytes]] = {
    "/etc/group": b"root:x:0:\n",
    "/etc/os-release": b'NAME="memkube"\nID=memkube\nPRETTY_NAME="memkube (simulated container)"\n',
    "/etc/passwd": b"root:x:0:0:root:/root:/bin/sh\n",
}
"""Content of the files that exist in every container, by path. Other files of images are not known."""


class Files:
    """The files of a container, by absolute path.

    `mounted` has the read-only files, and `shared` the writable volumes of the pod by mount path. All other files
    belong to the container, and are lost when it restarts. `limit` is the maximum number of bytes in all of the
    container's own files together, and in each volume.

    The methods raise OSError as a file system does: FileNotFoundError, IsADirectoryError, and other errors whose text
    is the message that programs print.
    """

    __slots__ = ("_limit", "_mounted", "_own", "_shared", "began", "groups", "is_read_only", "mounts", "user")

    def __init__(
        self,
        mounted: Mapping[str, bytes],
        shared: Mapping[str, SharedVolume] | None = None,
        limit: int = MOST_BYTES,
        own: Contents | None = None,
        mounts: Mapping[str, Mount] | None = None,
    ) -> None:
        self._mounted = mounted
        self._shared = shared or _NO_VOLUMES
        self._own: Contents = {} if own is None else own
        self._limit = limit
        self.mounts = mounts or _NO_MOUNTS
        """The mounted volumes by mount path."""
        self.user = 0
        """User ID of the container's programs."""
        self.groups: tuple[int, ...] = (0,)
        """Group IDs of the container's programs, first the primary one."""
        self.is_read_only = False
        """True if the container's own files cannot be changed (``readOnlyRootFilesystem``)."""
        self.began = 0.0
        """Start of the container, in seconds since 1970. It is the time of files that no program has written."""

    def begin(self, user: int, groups: tuple[int, ...], at: float, *, is_read_only: bool = False) -> None:
        """Set the user and groups of the container's programs, and the time `at` at which the container starts.

        The time is in seconds since 1970. If `is_read_only` is True, the container's own files, outside of volumes,
        cannot be changed.
        """
        self.user, self.groups, self.began, self.is_read_only = user, groups, at, is_read_only

    @property
    def mounted(self) -> Mapping[str, bytes]:
        """Content of the read-only files, by path. The kubelet replaces them when the volumes change."""
        return self._mounted

    @mounted.setter
    def mounted(self, files: Mapping[str, bytes]) -> None:
        self._mounted = files

    def read(self, path: str, start: int = 0) -> bytes:
        """Return the contents of a file from the byte offset `start` on."""
        path = self.resolved(path)
        if path == NOTHING:
            return b""
        if self._status(path).is_directory:
            raise IsADirectoryError(path)
        self._check(path, _READ)
        if path in self._mounted:
            return self._mounted[path][start:]
        if path == _MOUNT_TABLE:
            return self._mount_table()[start:]
        node = self._node(path)
        return bytes(node.data[start:]) if node is not None else _IMAGE_FILES.get(path, b"")[start:]

    def size(self, path: str) -> int:
        """Return the size of a file in bytes, or 0 if the file does not exist or is a directory."""
        try:
            status = self.status(path)
        except OSError:
            return 0
        return 0 if status.is_directory else status.size

    def write(self, path: str, data: bytes, at: datetime, *, appends: bool = False) -> None:
        """Write to a file, or append to it. Missing parent directories are created. `at` is the time of the change."""
        path = self.resolved(path)
        if path == NOTHING:
            return
        if self.is_directory(path):
            raise OSError("Is a directory")
        files, key = self._writable(path)
        node = files.get(key)
        if node is None:
            kept = bytearray(_IMAGE_FILES.get(path, b"") if appends and path not in self._mounted else b"")
        else:
            kept = node.data if appends else bytearray()
        replaced = len(node) if node is not None and not appends else 0
        if data and sum(map(len, files.values())) - replaced + len(data) > self._limit:
            raise OSError("No space left on device")
        kept += data
        if node is None:
            self._make_parents(path, at)
            files[key] = self._new(path, kept, FILE_MODE, at)
        else:
            node.data, node.modified = kept, at.timestamp()

    def make_directory(self, path: str, at: datetime) -> None:
        """Create a directory and its missing parent directories. `at` is their modification time."""
        path = self.resolved(path)
        if self.is_file(path):
            raise OSError("File exists")
        if self.is_directory(path):
            return
        files, key = self._writable(path)
        self._make_parents(path, at)
        files[key] = self._new(path, bytearray(), DIRECTORY_MODE, at)

    def link(self, path: str, target: str, at: datetime) -> None:
        """Create a symbolic link at `path` that points to `target`. `at` is its modification time."""
        path = self.resolved(path, follows=False)
        if self.exists(path):
            raise OSError("File exists")
        files, key = self._writable(path)
        files[key] = self._new(path, bytearray(target.encode()), LINK_MODE, at)

    def remove(self, path: str) -> None:
        """Remove a file or link, or a directory with its contents."""
        path = self.resolved(path, follows=False)
        status = self._status(path)
        files, key = self._writable(path, of_parent=True)
        if path in self._shared and not status.is_directory:
            raise OSError("Device or resource busy")
        below = f"{key}/" if key else ""
        for name in [name for name in files if name == key or name.startswith(below)]:
            del files[name]
        if status.is_directory and (path in self.mounts or path in self._shared):
            raise OSError("Device or resource busy")

    def rename(self, path: str, target: str) -> None:
        """Move a file, symbolic link or directory to the path `target`. An existing file at `target` is replaced."""
        path, target = self.resolved(path, follows=False), self.resolved(target, follows=False)
        self._status(path)
        source, key = self._writable(path, of_parent=True)
        files, target_key = self._writable(target, of_parent=True)
        if key not in source and not any(name.startswith(f"{key}/") for name in source):
            raise OSError("Operation not permitted")
        for name in [name for name in source if name == key or name.startswith(f"{key}/")]:
            files[target_key + name.removeprefix(key)] = source.pop(name)

    def change_mode(self, path: str, change: Callable[[int], int]) -> None:
        """Change the permissions of a file or directory. `change` maps the present permissions to the new ones."""
        path = self.resolved(path)
        status = self._status(path)
        if self.user not in (0, status.uid):
            raise OSError("Operation not permitted")
        files, key = self._writable(path, of_parent=True)
        node = files.setdefault(key, self._copied(path, status))
        node.mode = stat.S_IFMT(node.mode) | change(stat.S_IMODE(node.mode))

    def touch(self, path: str, at: datetime) -> None:
        """Set the modification time of a file or directory to `at`. A missing file is created empty."""
        path = self.resolved(path)
        if not self.exists(path):
            self.write(path, b"", at)
            return
        files, key = self._writable(path)
        files.setdefault(key, self._copied(path, self._status(path))).modified = at.timestamp()

    def status(self, path: str, *, follows: bool = True) -> FileStatus:
        """Return the status of a file.

        If `follows` is False and the path is a symbolic link, return the status of the link itself.
        """
        return self._status(self.resolved(path)) if follows else self._link_status(path)

    def exists(self, path: str) -> bool:
        """Return True if a file, directory or symbolic link has this path."""
        try:
            self.status(path, follows=False)
        except OSError:
            return False
        return True

    def is_file(self, path: str) -> bool:
        """Return True if a path leads to an existing file that is not a directory."""
        try:
            return not self.status(path).is_directory
        except OSError:
            return False

    def is_directory(self, path: str) -> bool:
        """Return True if a path leads to a directory.

        A directory exists if every image has it, if it was created or mounted, or if a file in it exists.
        """
        try:
            return self.status(path).is_directory
        except OSError:
            return False

    def names_in(self, path: str) -> list[str]:
        """Return the names of the files and directories in a directory, sorted."""
        inner = self._inside_atomic(path)
        path = self.resolved(path)
        below = path.rstrip("/") + "/"
        names = {known.removeprefix(below).split("/")[0] for known in self._known() if known.startswith(below)}
        of_image = (*_IMAGE_FILES, *_DIRECTORIES)
        names |= {posixpath.basename(known) for known in of_image if posixpath.dirname(known) == path}
        mount = self.mounts.get(path)
        if mount is not None and mount.directory and not inner:
            names |= {DATA_LINK, mount.directory}
        return sorted(names - {""})

    def resolved(self, path: str, *, follows: bool = True) -> str:
        """Return the path that symbolic links lead to.

        If `follows` is False, a link in the last component is kept.
        """
        for _ in range(_MOST_LINKS):
            path = self._flat(path)
            end = path if follows else posixpath.dirname(path)
            link = next((prefix for prefix in _prefixes(end) if self._is_link(prefix)), None)
            if link is None:
                return path
            node = self._node(link)
            assert node is not None
            target = posixpath.join(posixpath.dirname(link), node.data.decode(errors="replace"))
            path = posixpath.normpath(target + path.removeprefix(link))
        raise OSError("Too many levels of symbolic links")

    def real_path(self, path: str) -> str:
        """Return the path that symbolic links lead to, including the links that the kubelet creates in volumes."""
        path = self.resolved(path)
        volume, inner = self._atomic(path)
        return posixpath.join(volume, self.mounts[volume].directory, inner) if inner else path

    @property
    def own(self) -> Contents:
        """The files of the container that are not in a volume, by path."""
        return self._own

    @property
    def own_bytes(self) -> int:
        """Number of bytes in the files of the container that are not in a volume."""
        return sum(map(len, self._own.values()))

    def usage(self, mount_path: str) -> tuple[int, int]:
        """Return the size of a mounted file system and the bytes used in it.

        The path ``/`` means the node's disk, of which only the container's own files count as used.
        """
        if mount_path == "/":
            return max((mount.size for mount in self.mounts.values()), default=0), self.own_bytes
        size = self.mounts[mount_path].size
        if mount_path in self._shared:
            return size, sum(map(len, self._shared[mount_path].contents.values()))
        return size, sum(len(self._mounted[path]) for path in self._mounted if path.startswith(f"{mount_path}/"))

    def _mount_table(self) -> bytes:
        """Return the contents of ``/proc/mounts``."""
        root = "ro" if self.is_read_only else "rw"
        lines = [line.format(root=root) for line in _SYSTEM_MOUNTS]
        for path, mount in self.mounts.items():
            access = "ro" if mount.is_read_only else "rw"
            size = f",size={mount.size // 1024}k" if mount.kind == "tmpfs" else ""
            lines.append(f"{mount.source} {path} {mount.kind} {access},relatime{size} 0 0")
        return "".join(f"{line}\n" for line in lines).encode()

    def _link_status(self, path: str) -> FileStatus:
        """Return the status of a file. If its last component is a symbolic link, return the status of the link."""
        volume, inner = self._atomic(path)
        if volume and inner:
            mount = self.mounts[volume]
            name, _, rest = inner.partition("/")
            if name == mount.directory and not rest:
                return _version_status(mount)
            if name == DATA_LINK and not rest:
                return FileStatus(LINK_MODE, 0, 0, len(mount.directory), mount.written, mount.directory)
            is_link = name not in (DATA_LINK, mount.directory) and not rest
            if is_link and self._exists(f"{volume}/{name}"):
                target = f"{DATA_LINK}/{name}"
                return FileStatus(LINK_MODE, 0, 0, len(target), mount.written, target)
        return self._status(self.resolved(path, follows=False))

    def _status(self, path: str) -> FileStatus:
        """Return the status of the file at a path without symbolic links.

        Raises FileNotFoundError if it does not exist.
        """
        if path in self._mounted:
            mount_path, inner = self._written(path)
            size = len(self._mounted[path])
            if not mount_path:
                return FileStatus(FILE_MODE, 0, 0, size, self.began)
            mount = self.mounts[mount_path]
            mode = stat.S_IFREG | mount.modes.get(inner, mount.modes.get("*", 0o644))
            return FileStatus(mode, mount.uids.get(inner, 0), mount.gid, size, mount.written)
        if path == _MOUNT_TABLE:
            return FileStatus(stat.S_IFREG | 0o444, modified=self.began)
        if path == NOTHING:
            return FileStatus(stat.S_IFCHR | 0o666, modified=self.began)
        node = self._node(path)
        if node is not None:
            target = node.data.decode(errors="replace") if node.is_link else ""
            size = DIRECTORY_BYTES if node.is_directory else len(node)
            return FileStatus(node.mode, node.uid, node.gid, size, node.modified, target)
        if path in _IMAGE_FILES:
            return FileStatus(FILE_MODE, 0, 0, len(_IMAGE_FILES[path]), self.began)
        return self._directory_status(path)

    def _directory_status(self, path: str) -> FileStatus:
        volume, _ = self._atomic(path)
        if (mount := self.mounts.get(path)) is not None:
            size = DIRECTORY_BYTES if stat.S_ISDIR(mount.mode) else 0
            return FileStatus(mount.mode, 0, mount.gid, size, mount.written or self.began)
        below = path.rstrip("/") + "/"
        is_known = path == "/" or path in self._shared or path in _DIRECTORIES
        if is_known or any(known.startswith(below) for known in self._known()):
            if volume:
                return _version_status(self.mounts[volume])
            mode = stat.S_IFDIR | _DIRECTORY_MODES.get(path, 0o755)
            return FileStatus(mode, 0, 0, DIRECTORY_BYTES, self.began)
        raise FileNotFoundError("No such file or directory")

    def _check(self, path: str, wanted: int) -> None:
        """Raise OSError if the user lacks the permission `wanted`, to read or to write, for an existing file."""
        if self.user == 0:
            return
        status = self._status(path)
        shift = 6 if self.user == status.uid else 3 if status.gid in self.groups else 0
        if not status.mode >> shift & wanted:
            raise OSError("Permission denied")

    def _writable(self, path: str, *, of_parent: bool = False) -> tuple[Contents, str]:
        """Return where to write a file: the dict of the files in its volume, and the key of the path in that dict.

        `path` must not contain symbolic links. Raises OSError if the path is in a read-only volume, or if the user
        lacks the permission to write. To write a file that exists, the user must have the permission to write this
        file. If the file does not exist, or if `of_parent` is True, the user must have the permission to write its
        directory.
        """
        if path in self._mounted or any(path == known or path.startswith(f"{known}/") for known in self._read_only):
            raise OSError("Read-only file system")
        _, files, key = self._locate(path)
        above = (known for known in self.mounts if path == known or path.startswith(f"{known.rstrip('/')}/"))
        mount = self.mounts.get(max(above, key=len, default=""))
        if mount.is_read_only if mount is not None else self.is_read_only:
            raise OSError("Read-only file system")
        parent = posixpath.dirname(path)
        if self.user and not of_parent and self.exists(path):
            self._check(path, _WRITE)
        elif self.user and self.is_directory(parent):
            self._check(parent, _WRITE)
        return files, key

    def _make_parents(self, path: str, at: datetime) -> None:
        for parent in _prefixes(posixpath.dirname(path)):
            if parent != "/" and not self._exists(parent):
                _, files, key = self._locate(parent)
                files[key] = self._new(parent, bytearray(), DIRECTORY_MODE, at)

    def _new(self, path: str, data: bytearray, mode: int, at: datetime) -> Inode:
        parent = posixpath.dirname(path)
        above = self._status(parent) if self.is_directory(parent) else FileStatus(DIRECTORY_MODE)
        gid = above.gid if above.mode & stat.S_ISGID else self.groups[0]
        inherited = above.mode & stat.S_ISGID if stat.S_ISDIR(mode) else 0
        return Inode(data, mode | inherited, self.user, gid, at.timestamp())

    def _copied(self, path: str, status: FileStatus) -> Inode:
        """Return a new inode with the contents of an image's file and this status, so that programs can change it."""
        data = bytearray(_IMAGE_FILES.get(path, b""))
        return Inode(data, status.mode, status.uid, status.gid, status.modified)

    @property
    def _read_only(self) -> set[str]:
        """Return the directories that contain read-only mounted files."""
        written = {path for path, mount in self.mounts.items() if mount.directory}
        return written | {posixpath.dirname(path) for path in self._mounted if path not in self.mounts} - {"/etc"}

    def _known(self) -> list[str]:
        below = [posixpath.join(path, inner) for path, volume in self._shared.items() for inner in volume.paths()]
        return [*self._mounted, *self._own, *self._shared, *self.mounts, *below]

    def _locate(self, path: str) -> tuple[str, Contents, str]:
        """Return the writable volume of a path: its mount path, the dict of its files, and the path's key in that dict.

        For a path outside of all writable volumes, these are ``/``, the dict of the container's own files, and the
        path.
        """
        for directory, volume in self._shared.items():
            if path == directory or path.startswith(directory.rstrip("/") + "/"):
                inner = path.removeprefix(directory.rstrip("/")).removeprefix("/")
                return directory, volume.contents, volume.key(inner)
        return "/", self._own, path

    def _node(self, path: str) -> Inode | None:
        _, files, key = self._locate(path)
        return files.get(key)

    def _exists(self, path: str) -> bool:
        """Return True if a file or directory exists at a path without symbolic links."""
        try:
            self._status(path)
        except FileNotFoundError:
            return False
        return True

    def _is_link(self, path: str) -> bool:
        node = self._node(path)
        return node is not None and node.is_link

    def _atomic(self, path: str) -> tuple[str, str]:
        """Return the mount path of the volume with a link ``..data`` that contains a path, and the path relative to it.

        The kubelet writes the files of such a volume, and replaces all of them at once by changing the link. Both
        results are empty if the path is in no such volume.
        """
        return _within(path, (mount_path for mount_path, mount in self.mounts.items() if mount.directory))

    def _written(self, path: str) -> tuple[str, str]:
        """Return the mount path that contains a file which the kubelet wrote, and the file's path relative to it.

        Unlike in `_atomic`, mounts by ``subPath`` are included. Both results are empty for any other file.
        """
        return _within(path, (mount_path for mount_path, mount in self.mounts.items() if mount.modes))

    def _flat(self, path: str) -> str:
        """Return a path without ``..data`` or the versioned directory, if it is in a volume that the kubelet writes."""
        volume, inner = self._atomic(path)
        first, _, rest = inner.partition("/")
        if volume and first in (DATA_LINK, self.mounts[volume].directory):
            return posixpath.join(volume, rest).rstrip("/")
        return path

    def _inside_atomic(self, path: str) -> bool:
        return self._flat(path) != path


def _within(path: str, mount_paths: Iterable[str]) -> tuple[str, str]:
    """Return the first of the mount paths that contains `path`, and `path` relative to it; two empty texts if none."""
    for mount_path in mount_paths:
        if path == mount_path or path.startswith(f"{mount_path}/"):
            return mount_path, path.removeprefix(mount_path).removeprefix("/")
    return "", ""


def _version_status(mount: Mount) -> FileStatus:
    """Return the status of a volume's versioned directory, to which its link ``..data`` points."""
    return FileStatus(DIRECTORY_MODE | mount.mode & stat.S_ISGID, 0, mount.gid, DIRECTORY_BYTES, mount.written)


def _prefixes(path: str) -> Iterator[str]:
    """Yield the parent directories of a path, from the root on, and then the path itself."""
    end = path.find("/", 1)
    while end != -1:
        yield path[:end]
        end = path.find("/", end + 1)
    yield path
