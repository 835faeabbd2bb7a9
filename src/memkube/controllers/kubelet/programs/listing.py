"""The command ``ls``, with the output of busybox 1.36."""

import posixpath
import stat
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.inodes import FileStatus
from memkube.controllers.kubelet.programs.input import options
from memkube.controllers.kubelet.programs.program import Output, Run, Session, error

_BLOCK: Final = 4096
_FAST_LINK: Final = 60
"""Minimum length in bytes of a symbolic link's target that occupies a disk block."""
_HALF_A_YEAR: Final = 3600 * 24 * 365 // 2
_FUTURE: Final = 15 * 60
_UNITS: Final = "KMGTPE"
_STEP: Final = 1024
_HALF: Final = 5


class _Entry(NamedTuple):
    name: str
    path: str
    status: FileStatus


def list_files(arguments: Sequence[str], session: Session) -> Run:
    """Run ``ls`` with the options -1, -a, -A, -d, -h, -l, -n, -r, -R, -S and -t. It always prints one name per line."""
    given, names = options(arguments, "1aAdhlnrRSt")
    listing = _Listing("".join(given), session)
    found: list[_Entry] = []
    for name in names or ["."]:
        path = session.path(name)
        try:
            follows = name.endswith("/") or not given.keys() & {"l", "n", "d"}
            status = session.files.status(path, follows=follows)
        except OSError as problem:
            yield error(f"ls: {name}: {problem}")
            listing.code = 1
            continue
        found.append(_Entry(name, path, status))
    directories = [] if "d" in given else [entry for entry in found if entry.status.is_directory]
    files = [entry for entry in found if entry not in directories]
    yield from listing.show(files)
    titled = len(names) > 1 or "R" in given
    yield from listing.show_directories(directories, titled=titled, is_first=not files)
    return listing.code


class _Listing:
    """Prints files for ``ls``, in the order and format that its options select."""

    def __init__(self, given: str, session: Session) -> None:
        self._given = given
        self._is_long = "l" in given or "n" in given
        self._session = session
        self.code = 0

    def show(self, entries: Iterable[_Entry]) -> Run:
        for entry in self._sorted(entries):
            yield Output(self._line(entry).encode())
            yield from self._session.budget.spend(1)
        return 0

    def show_directories(self, directories: Iterable[_Entry], *, titled: bool, is_first: bool) -> Run:
        for directory in self._sorted(directories):
            if titled:
                yield Output(f"{'' if is_first else chr(10)}{directory.name}:\n".encode())
            is_first = False
            entries = self._entries(directory)
            if self._is_long:
                kilobytes = sum(blocks(entry.status) for entry in entries)
                total = f"{human_readable(kilobytes * _STEP, whole=True):<7}" if "h" in self._given else kilobytes
                yield Output(f"total {total}\n".encode())
            yield from self.show(entries)
            if "R" in self._given:
                inner = [one for one in entries if one.status.is_directory and one.name not in (".", "..")]
                below = [one._replace(name=posixpath.join(directory.name, one.name)) for one in inner]
                yield from self.show_directories(below, titled=True, is_first=False)
        return 0

    def _entries(self, directory: _Entry) -> list[_Entry]:
        files, entries = self._session.files, []
        names = files.names_in(directory.path)
        if "a" in self._given:
            names = [".", "..", *names]
        for name in names:
            if name.startswith(".") and not {"a", "A"} & {*self._given}:
                continue
            path = posixpath.normpath(posixpath.join(directory.path, name))
            entries.append(_Entry(name, path, files.status(path, follows=False)))
        return entries

    def _sorted(self, entries: Iterable[_Entry]) -> list[_Entry]:
        ordered = sorted(entries, key=lambda entry: entry.name)
        if "S" in self._given:
            ordered.sort(key=lambda entry: -entry.status.size)
        elif "t" in self._given:
            ordered.sort(key=lambda entry: -int(entry.status.modified))
        return ordered[::-1] if "r" in self._given else ordered

    def _line(self, entry: _Entry) -> str:
        if not self._is_long:
            return f"{entry.name}\n"
        status = entry.status
        numeric = "n" in self._given
        user, group = ((str(one) if numeric else user_name(one)) for one in (status.uid, status.gid))
        text = f"{stat.filemode(status.mode):<10} {self._links(entry):>4} {user:<8} {group:<8} {self._size(status)} "
        text += f"{shown_time(status.modified, self._session.now())} {entry.name}"
        return f"{text} -> {status.target}\n" if status.is_link else f"{text}\n"

    def _links(self, entry: _Entry) -> int:
        """Return the number of hard links of a file or directory.

        A directory is linked from its parent, from itself (``.``) and from each of its subdirectories (``..``).
        """
        return link_count(entry.path, entry.status, self._session)

    def _size(self, status: FileStatus) -> str:
        if stat.S_ISCHR(status.mode):
            return f"{1:4}, {3:3}"
        return f"{human_readable(status.size):>7}" if "h" in self._given else f"{status.size:>9}"


def link_count(path: str, status: FileStatus, session: Session) -> int:
    """Return the number of hard links of a file or directory: for a directory, two more than it has subdirectories."""
    if not status.is_directory:
        return 1
    files = session.files
    inner = (posixpath.join(path, name) for name in files.names_in(path))
    return 2 + sum(files.status(one, follows=False).is_directory for one in inner)


def blocks(status: FileStatus) -> int:
    """Return the number of KiB that the file with this status occupies on an ext4 disk."""
    size = 0 if status.is_link and status.size < _FAST_LINK else status.size
    return -(-size // _BLOCK) * (_BLOCK // _STEP)


def user_name(number: int) -> str:
    """Return the name of the user or group with an ID. Only root has a name: the names in the image are not known."""
    return str(number) if number else "root"


def human_readable(size: int, *, whole: bool = False) -> str:
    """Format a size in bytes with a unit, such as ``1.5K``; if `whole` is True, without a fraction.

    Source: ``make_human_readable_str`` of busybox.
    """
    if size < _STEP:
        return str(size)
    fraction, power = 0, 0
    while size >= _STEP:
        fraction = (size % _STEP * 10 + _STEP // 2) // _STEP
        size //= _STEP
        power += 1
    if fraction >= 10:
        size, fraction = size + 1, 0
    unit = _UNITS[power - 1]
    if whole:
        return f"{size + (fraction >= _HALF)}{unit}"
    return f"{size}.{fraction}{unit}"


def shown_time(modified: float, now: datetime) -> str:
    """Format a modification time, in seconds since 1970, as ``ls -l`` does.

    A recent time has the time of day. A time more than half a year ago, or in the future, has the year instead.
    """
    then = datetime.fromtimestamp(modified, UTC)
    is_recent = -_FUTURE < now.timestamp() - modified < _HALF_A_YEAR
    return f"{then:%b} {then.day:2} {then:%H:%M}" if is_recent else f"{then:%b} {then.day:2}  {then:%Y}"
