"""The files that a simulated container sees: what its pod mounts, and what its programs wrote."""

import posixpath
from collections.abc import Mapping, MutableMapping


class ReadOnlyFile(OSError):
    """Somebody wrote to a mounted file that cannot be changed."""


class Files:
    """A container's files by their absolute path.

    `mounted` are read-only ones, `shared` the volumes that containers of a pod write to in common, by the directory
    that each is seen in; everything else is the container's own and lives for one run.
    """

    def __init__(
        self,
        mounted: Mapping[str, bytes],
        shared: Mapping[str, MutableMapping[str, bytes]] | None = None,
        working_directory: str = "/",
    ) -> None:
        self._mounted = mounted
        self._shared = shared or {}
        self._own: dict[str, bytes] = {}
        self._working_directory = working_directory or "/"

    def path(self, name: str) -> str:
        """The absolute path of a file."""
        return posixpath.normpath(posixpath.join(self._working_directory, name))

    def read(self, name: str) -> bytes:
        """What a file contains. Raises FileNotFoundError and IsADirectoryError."""
        path = self.path(name)
        if path in self._mounted:
            return self._mounted[path]
        files, key = self._place(path)
        if key in files:
            return files[key]
        if self.is_directory(name):
            raise IsADirectoryError(path)
        raise FileNotFoundError(path)

    def write(self, name: str, data: bytes, *, appends: bool = False) -> None:
        """Writes a file. Raises ReadOnlyFile and IsADirectoryError."""
        path = self.path(name)
        if self.is_directory(name):
            raise IsADirectoryError(path)
        if any(path == mounted or posixpath.dirname(path) == posixpath.dirname(mounted) for mounted in self._mounted):
            raise ReadOnlyFile(path)
        files, key = self._place(path)
        files[key] = files.get(key, b"") + data if appends else data

    def remove(self, name: str) -> None:
        """Removes a file. Raises FileNotFoundError and ReadOnlyFile."""
        path = self.path(name)
        if path in self._mounted:
            raise ReadOnlyFile(path)
        files, key = self._place(path)
        if files.pop(key, None) is None:
            raise FileNotFoundError(path)

    def is_file(self, name: str) -> bool:
        """Whether there is a file."""
        path = self.path(name)
        files, key = self._place(path)
        return path in self._mounted or key in files

    def is_directory(self, name: str) -> bool:
        """Whether anything is known to lie below a path, or to be mounted there."""
        path = self.path(name)
        below = path.rstrip("/") + "/"
        return path == "/" or path in self._shared or any(known.startswith(below) for known in self._known())

    def names_in(self, name: str) -> list[str]:
        """What a directory contains, in order."""
        below = self.path(name).rstrip("/") + "/"
        return sorted({known.removeprefix(below).split("/")[0] for known in self._known() if known.startswith(below)})

    @property
    def own_bytes(self) -> int:
        """How much is written outside of volumes."""
        return sum(map(len, self._own.values()))

    def _known(self) -> list[str]:
        shared = [posixpath.join(directory, key) for directory, files in self._shared.items() for key in files]
        return [*self._mounted, *self._own, *self._shared, *shared]

    def _place(self, path: str) -> tuple[MutableMapping[str, bytes], str]:
        for directory, files in self._shared.items():
            if path.startswith(directory.rstrip("/") + "/"):
                return files, path.removeprefix(directory.rstrip("/") + "/")
        return self._own, path
