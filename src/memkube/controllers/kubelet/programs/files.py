"""The files of a simulated container: mounted volumes, and the files that its programs wrote."""

import posixpath
from collections.abc import Mapping
from typing import Final, TypeAlias

Contents: TypeAlias = dict[str, bytearray]
"""Contents of files by path, relative to a directory. A path that ends with a slash is a created directory."""

MOST_BYTES: Final = 64 * 1024 * 1024
NOTHING: Final = "/dev/null"
_NO_VOLUMES: Final[Mapping[str, Contents]] = {}
_DIRECTORIES: Final = frozenset(
    f"/{top}{name}"
    for top, names in (
        ("", "dev etc home mnt opt proc root run srv tmp usr var"),
        ("usr/", "bin lib local share"),
        ("var/", "lib log run tmp"),
    )
    for name in names.split()
)
"""Directories that exist in every image."""


class Files:
    """The files of a container by absolute path.

    `mounted` are read-only files, and `shared` the writable volumes of the pod by mount path. Other files belong to the
    container and are lost when it restarts. `limit` is the maximum number of bytes of the container's own files, and of
    each volume.

    Raises OSError as a file system does: FileNotFoundError, IsADirectoryError, and other errors with the text that
    programs print.
    """

    __slots__ = ("_limit", "_mounted", "_own", "_shared")

    def __init__(
        self,
        mounted: Mapping[str, bytes],
        shared: Mapping[str, Contents] | None = None,
        limit: int = MOST_BYTES,
        own: Contents | None = None,
    ) -> None:
        self._mounted = mounted
        self._shared = shared or _NO_VOLUMES
        self._own: Contents = {} if own is None else own
        self._limit = limit

    @property
    def mounted(self) -> Mapping[str, bytes]:
        """The read-only files of volumes, which their kubelet replaces when the volumes change."""
        return self._mounted

    @mounted.setter
    def mounted(self, files: Mapping[str, bytes]) -> None:
        self._mounted = files

    def read(self, path: str, start: int = 0) -> bytes:
        """Return the contents of a file, from a byte offset on."""
        if path in self._mounted:
            return self._mounted[path][start:]
        if path == NOTHING:
            return b""
        files, key = self._place(path)
        if key in files:
            return bytes(files[key][start:])
        if self.is_directory(path):
            raise IsADirectoryError(path)
        raise FileNotFoundError(path)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes; 0 if there is no file."""
        files, key = self._place(path)
        return len(self._mounted[path] if path in self._mounted else files.get(key, b""))

    def write(self, path: str, data: bytes, *, appends: bool = False) -> None:
        """Write or append to a file. Missing parent directories are created."""
        if path == NOTHING:
            return
        if self.is_directory(path):
            raise OSError("Is a directory")
        if path in self._mounted or posixpath.dirname(path) in self._read_only:
            raise OSError("Read-only file system")
        files, key = self._place(path)
        replaced = 0 if appends else len(files.get(key, b""))
        if data and sum(map(len, files.values())) - replaced + len(data) > self._limit:
            raise OSError("No space left on device")
        if appends and key in files:
            files[key] += data
        else:
            files[key] = bytearray(data)

    def make_directory(self, path: str) -> None:
        """Create a directory and its missing parents."""
        if self.is_file(path):
            raise OSError("File exists")
        if any(path == mounted or path.startswith(f"{mounted}/") for mounted in self._read_only):
            raise OSError("Read-only file system")
        files, key = self._place(path)
        files[f"{key}/"] = bytearray()

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with its contents."""
        if path in self._mounted or path in self._read_only:
            raise OSError("Read-only file system")
        if not (self.is_file(path) or self.is_directory(path)):
            raise FileNotFoundError(path)
        files, key = self._place(path)
        for name in [name for name in files if name == key or name.startswith(f"{key}/")]:
            del files[name]

    def is_file(self, path: str) -> bool:
        """Return True if there is a file."""
        files, key = self._place(path)
        return path in self._mounted or key in files or path == NOTHING

    def is_directory(self, path: str) -> bool:
        """Return True if a directory exists: it was created, is mounted, or is the parent of a known path."""
        below = path.rstrip("/") + "/"
        is_known = path == "/" or path in self._shared or path in _DIRECTORIES
        return is_known or any(known.startswith(below) for known in self._known())

    def names_in(self, path: str) -> list[str]:
        """Return the sorted names of the files and directories in a directory."""
        below = path.rstrip("/") + "/"
        names = {known.removeprefix(below).split("/")[0] for known in self._known() if known.startswith(below)}
        return sorted(names - {""})

    @property
    def own(self) -> Contents:
        """The files that belong to the container itself and not to a volume."""
        return self._own

    @property
    def own_bytes(self) -> int:
        """Number of bytes of the files that belong to the container itself."""
        return sum(map(len, self._own.values()))

    @property
    def _read_only(self) -> set[str]:
        """Return the directories that contain read-only mounted files."""
        return {posixpath.dirname(path) for path in self._mounted} - {"/etc"}

    def _known(self) -> list[str]:
        shared = [posixpath.join(directory, key) for directory, files in self._shared.items() for key in files]
        return [*self._mounted, *self._own, *self._shared, *shared]

    def _place(self, path: str) -> tuple[Contents, str]:
        for directory, files in self._shared.items():
            if path.startswith(directory.rstrip("/") + "/"):
                return files, path.removeprefix(directory.rstrip("/") + "/")
        return self._own, path
