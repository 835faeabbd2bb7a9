"""Shell commands about permissions, symbolic links, sizes and mounts, with the output of busybox 1.36."""

import posixpath
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Final

from memkube.controllers.kubelet.programs.inodes import FileStatus
from memkube.controllers.kubelet.programs.input import options
from memkube.controllers.kubelet.programs.listing import blocks, human_readable, link_count
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, Steps, error

_OCTAL: Final = re.compile("[0-7]{1,4}")
_CLAUSE: Final = re.compile("([ugoa]*)([-+=])([rwxXst]*)")
_SHIFTS: Final = {"u": 6, "g": 3, "o": 0}
_BITS: Final = {"r": 4, "w": 2, "x": 1, "X": 1}
_TYPES: Final = {"f": stat.S_IFREG, "d": stat.S_IFDIR, "l": stat.S_IFLNK}
_KINDS: Final = {
    stat.S_IFREG: "regular file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symbolic link",
    stat.S_IFCHR: "character special file",
}
_MOST_FOUND: Final = 100_000
_MEBIBYTE: Final = 1024 * 1024


def change_mode(arguments: Sequence[str], session: Session) -> Run:
    """Run ``chmod`` with octal and symbolic modes and the option -R."""
    words = list(arguments[1:])
    recursive = words[:1] == ["-R"]
    words = words[recursive:]
    if len(words) <= 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    code = 0
    for name in words[1:]:
        inner = _below(session.path(name), session) if recursive else iter([session.path(name)])
        for path in inner:
            try:
                is_directory = session.files.status(path).is_directory
                session.files.change_mode(path, _change(words[0], is_directory=is_directory))
            except OSError as problem:
                yield error(f"chmod: {name}: {problem}")
                code = 1
            yield from session.budget.spend(1)
    return code


def _change(text: str, *, is_directory: bool) -> Callable[[int], int]:
    """Return a function from a file's old permissions to new ones, for a mode such as ``644`` or ``u+x`` (`text`).

    `is_directory` is True if the file is a directory, so that ``X`` means ``x``.
    """
    if _OCTAL.fullmatch(text):
        return lambda _: int(text, 8)
    clauses = [_CLAUSE.fullmatch(clause) for clause in text.split(",")]

    def changed(mode: int) -> int:
        for clause in clauses:
            if clause is None or set(clause[3]) & {"s", "t"}:
                raise NotSimulated(f"chmod {text} is not simulated")
            bits = sum(_BITS[letter] for letter in set(clause[3]) if letter != "X" or is_directory or mode & 0o111)
            for who in "ugo" if "a" in clause[1] or not clause[1] else clause[1]:
                # A mode without u, g, o or a is subject to the umask, which is 022 as in a shell.
                kept = bits & ~2 if not clause[1] and who != "u" else bits
                mode &= ~(7 << _SHIFTS[who]) if clause[2] == "=" else ~0
                mode = mode & ~(kept << _SHIFTS[who]) if clause[2] == "-" else mode | kept << _SHIFTS[who]
        return mode

    return changed


def make_link(arguments: Sequence[str], session: Session) -> Run:
    """Run ``ln -s`` with the options -f and -n. Hard links are not simulated."""
    given, names = options(arguments, "sfnv")
    if "s" not in given or not names:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    *targets, last = names if len(names) > 1 else [names[0], posixpath.basename(names[0])]
    code = 0
    for target in targets:
        path = session.path(last)
        is_directory = session.files.is_directory(path)
        if is_directory and "n" in given:
            is_directory = session.files.status(path, follows=False).is_directory
        if is_directory:
            path = posixpath.join(path, posixpath.basename(target.rstrip("/")))
        try:
            if "f" in given and session.files.exists(path):
                session.files.remove(path)
            session.files.link(path, target, session.now())
        except OSError as problem:
            yield error(f"ln: {path if is_directory else last}: {problem}")
            code = 1
    return code


def read_link(arguments: Sequence[str], session: Session) -> Run:
    """Run ``readlink`` with the options -f and -n, and ``realpath``."""
    given, names = options(arguments, "fn")
    if len(names) != 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    path, files = session.path(names[0]), session.files
    try:
        if "f" in given or arguments[0].endswith("realpath"):
            text = files.real_path(path)
            if not files.is_directory(posixpath.dirname(text)):
                raise FileNotFoundError("No such file or directory")
        else:
            text = files.status(path, follows=False).target
    except OSError as problem:
        if arguments[0].endswith("realpath"):
            yield error(f"realpath: {names[0]}: {problem}")
        return 1
    if not text:
        return 1
    yield Output(text.encode() + (b"" if "n" in given else b"\n"))
    return 0


def show_status(arguments: Sequence[str], session: Session) -> Run:
    """Run ``stat``, which prints the status of files, with the options -L and -c."""
    given, names = options(arguments, "L", "c")
    code = 0
    for name in names:
        path = session.path(name)
        try:
            status = session.files.status(path, follows="L" in given)
        except OSError as problem:
            yield error(f"stat: can't stat '{name}': {problem}")
            code = 1
            continue
        links = link_count(path, status, session)
        text = _formatted(given["c"], name, status, links) if "c" in given else _described(name, path, status, links)
        yield Output(f"{text}\n".encode())
    return code


def _described(name: str, path: str, status: FileStatus, links: int) -> str:
    inode = int.from_bytes(sha256(path.encode()).digest()[:3], "big")
    kind = "regular empty file" if stat.S_ISREG(status.mode) and not status.size else _KINDS[stat.S_IFMT(status.mode)]
    title = f"'{name}' -> '{status.target}'" if status.is_link else name
    then = datetime.fromtimestamp(status.modified, UTC)
    time = f"{then:%Y-%m-%d %H:%M:%S}.{then.microsecond * 1000:09} +0000"
    permissions = f"({stat.S_IMODE(status.mode):04o}/{stat.filemode(status.mode)})"
    user, group = (f"({number:5}/{_known_name(number):>8})" for number in (status.uid, status.gid))
    return (
        f"  File: {title}\n"
        f"  Size: {status.size:<10}\tBlocks: {blocks(status) * 2:<10} IO Block: {4096:<6} {kind}\n"
        f"Device: 30h/48d\tInode: {inode:<10}  Links: {links}\n"
        f"Access: {permissions}  Uid: {user}   Gid: {group}\n"
        f"Access: {time}\nModify: {time}\nChange: {time}"
    )


def _formatted(layout: str, name: str, status: FileStatus, links: int) -> str:
    """Format the status of a file as ``stat -c`` does. `layout` contains directives such as ``%s``.

    `links` is the number of hard links of the file. Raises NotSimulated for unknown directives.
    """
    values = {
        "a": f"{stat.S_IMODE(status.mode):o}",
        "A": stat.filemode(status.mode),
        "F": _KINDS[stat.S_IFMT(status.mode)],
        "g": str(status.gid),
        "G": _known_name(status.gid),
        "h": str(links),
        "n": name,
        "N": f"'{name}' -> '{status.target}'" if status.is_link else name,
        "s": str(status.size),
        "u": str(status.uid),
        "U": _known_name(status.uid),
        "Y": str(int(status.modified)),
        "%": "%",
    }

    def replaced(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise NotSimulated(f"stat -c {layout} is not simulated")
        return values[found[1]]

    return re.sub("%(.?)", replaced, layout)


def _known_name(number: int) -> str:
    return "UNKNOWN" if number else "root"


def disk_usage(arguments: Sequence[str], session: Session) -> Run:
    """Run ``du`` with the options -a, -c, -h, -k, -m and -s."""
    given, names = options(arguments, "achkms")
    total, code = 0, 0
    for name in names or ["."]:
        if not session.files.exists(session.path(name)):
            yield error(f"du: {name}: No such file or directory")
            code = 1
            continue
        total += yield from _used(name, given.keys(), session, is_top=True)
    if "c" in given:
        yield Output(f"{_in_unit(total, given.keys())}\ttotal\n".encode())
    return code


def _used(name: str, given: Collection[str], session: Session, *, is_top: bool) -> Steps[int]:
    path = session.path(name)
    status = session.files.status(path, follows=False)
    used = blocks(status)
    for inner in session.files.names_in(path) if status.is_directory else ():
        used += yield from _used(posixpath.join(name, inner), given, session, is_top=False)
    yield from session.budget.spend(1)
    if is_top or ("s" not in given and (status.is_directory or "a" in given)):
        yield Output(f"{_in_unit(used, given)}\t{name}\n".encode())
    return used


def _in_unit(kilobytes: int, given: Collection[str]) -> str:
    if "h" in given:
        return human_readable(kilobytes * 1024)
    return str(-(-kilobytes // 1024) if "m" in given else kilobytes)


def find(arguments: Sequence[str], session: Session) -> Run:
    """Run ``find`` with the conditions -name, -type, -maxdepth and -mindepth, which must all hold, and -print."""
    words = list(arguments[1:])
    roots = []
    while words and not words[0].startswith(("-", "!", "(")):
        roots.append(words.pop(0))
    tests = dict[str, str]()
    while words:
        word = words.pop(0)
        if word == "-print":
            continue
        if word not in ("-name", "-type", "-maxdepth", "-mindepth") or not words:
            raise NotSimulated(f"{' '.join(arguments)} is not simulated")
        tests[word] = words.pop(0)
    if tests.get("-type", "f") not in _TYPES or not all(
        tests.get(depth, "0").isdigit() for depth in ("-maxdepth", "-mindepth")
    ):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    code = 0
    for root in roots or ["."]:
        if not session.files.exists(session.path(root)):
            yield error(f"find: {root}: No such file or directory")
            code = 1
            continue
        yield from _found(root, 0, tests, session)
    return code


def _found(name: str, depth: int, tests: dict[str, str], session: Session) -> Run:
    path = session.path(name)
    status = session.files.status(path, follows=False)
    fits = fnmatchcase(posixpath.basename(name.rstrip("/")) or name, tests.get("-name", "*"))
    kind = _TYPES[tests["-type"]] if "-type" in tests else stat.S_IFMT(status.mode)
    if fits and kind == stat.S_IFMT(status.mode) and depth >= int(tests.get("-mindepth", "0")):
        yield Output(f"{name}\n".encode())
    yield from session.budget.spend(1)
    if status.is_directory and depth < int(tests.get("-maxdepth", str(_MOST_FOUND))):
        for inner in session.files.names_in(path):
            yield from _found(posixpath.join(name, inner), depth + 1, tests, session)
    return 0


def show_mounts(arguments: Sequence[str], session: Session) -> Run:
    """Run ``mount`` without arguments, which lists the mounted file systems."""
    if len(arguments) > 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    for source, path, kind, access in _mounts(session):
        yield Output(f"{source} on {path} type {kind} ({access})\n".encode())
    return 0


def free_space(arguments: Sequence[str], session: Session) -> Run:
    """Run ``df`` with the options -h, -k, -m and -T.

    Of the node's disk, only the container's own files count as used.
    """
    given, names = options(arguments, "hkmT")
    unit = "Size" if "h" in given else "1M-blocks" if "m" in given else "1K-blocks"
    kind_title = "Type       " if "T" in given else ""
    title = "     Size" if "h" in given else unit
    yield Output(f"Filesystem           {kind_title}{title:<15}Used Available Use% Mounted on\n".encode())
    shown = list(_mounts(session))
    if names:
        shown = [max((m for m in shown if _has(m[1], session.path(name))), key=lambda m: len(m[1])) for name in names]
    for source, path, kind, access in shown:
        size, used = _space(path, access, session)
        if size:
            middle = f" {kind:<10}" if "T" in given else ""
            numbers = [_in_blocks(number, given.keys()) for number in (size, used, size - used)]
            share = (used * 100 + size // 2) // size
            columns = f"{numbers[0]:>9} {numbers[1]:>9} {numbers[2]:>9}"
            yield Output(f"{source:<20}{middle} {columns} {share:>3}% {path}\n".encode())
    return 0


def _has(mount_path: str, path: str) -> bool:
    return mount_path == "/" or path == mount_path or path.startswith(f"{mount_path}/")


def _mounts(session: Session) -> Iterator[tuple[str, str, str, str]]:
    """Yield source, mount path, type and options of each mounted file system."""
    for line in session.files.read("/proc/mounts").decode().splitlines():
        source, path, kind, access, *_ = line.split(" ")
        yield source, path, kind, access


def _space(path: str, access: str, session: Session) -> tuple[int, int]:
    """Return the size of the file system at a mount path, and its used bytes. `access` are its mount options.

    Both numbers are 0 for file systems such as ``/proc``.
    """
    if path == "/" or access.partition(",")[2].startswith("relatime"):
        return session.files.usage(path)
    found = re.search(r"\bsize=([0-9]+)k", access)
    return (int(found[1]) * 1024, 0) if found else (0, 0)


def _in_blocks(number: int, given: Collection[str]) -> str:
    if "h" in given:
        return human_readable(number)
    return str(number // _MEBIBYTE) if "m" in given else str(number // 1024)


def _below(path: str, session: Session) -> Iterator[str]:
    """Yield a path, then the paths of everything below it."""
    yield path
    if session.files.status(path, follows=False).is_directory:
        for name in session.files.names_in(path):
            yield from _below(posixpath.join(path, name), session)
