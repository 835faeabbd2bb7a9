"""The command ``tar``, for archives on standard input and output, as ``kubectl cp`` uses it."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final, NamedTuple

from memkube.controllers.kubelet.programs.input import Lines
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, Steps, error

if TYPE_CHECKING:
    from tarfile import TarFile

_FLAGS: Final = frozenset("xcmopvz")
_IGNORED: Final = frozenset({"--no-same-permissions", "--no-same-owner"})
_AT_ONCE: Final = 32 * 1024


class _Request(NamedTuple):
    flags: str
    directory: str
    names: list[str]


def archive(arguments: Sequence[str], session: Session) -> Run:
    """Run ``tar x`` or ``tar c`` with ``-f -`` and the options -C, -m, -o, -p, -v and -z.

    Raises NotSimulated for other options and operations.
    """
    request = _request(arguments, session)
    if "x" in request.flags:
        return (yield from _extract(request, session))
    return (yield from _create(request, session))


def _request(arguments: Sequence[str], session: Session) -> _Request:
    words, flags, names = list(arguments[1:]), "", list[str]()
    directory, file = session.working_directory, ""
    is_first = True
    while words:
        word = words.pop(0)
        if word in _IGNORED:
            continue
        if not word.startswith("-") and not is_first:
            names.append(word)
            continue
        is_first = False
        for letter in word.removeprefix("-"):
            if letter in "fC" and words:
                value = words.pop(0)
                file, directory = (value, directory) if letter == "f" else (file, posixpath.join(directory, value))
            else:
                flags += letter
    if file != "-" or set(flags) - _FLAGS or ("x" in flags) == ("c" in flags):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    return _Request(flags, posixpath.normpath(directory), names)


def _extract(request: _Request, session: Session) -> Run:
    # Import the module ``tarfile`` at first use: it imports compression libraries, which would slow down the server's
    # start.
    import tarfile  # noqa: PLC0415

    if request.names:
        raise NotSimulated("tar x with the names of members is not simulated")
    data = b"".join((yield from Lines("tar", (), session).remaining()))
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:gz" if "z" in request.flags else "r:") as found:
            return (yield from _unpack(found, request, session))
    except tarfile.TarError:
        yield error("tar: invalid tar magic" if data else "tar: short read")
        return 1


def _unpack(found: "TarFile", request: _Request, session: Session) -> Run:
    for member in found:
        path = posixpath.normpath(posixpath.join(request.directory, member.name.lstrip("/")))
        try:
            if member.isdir():
                if not session.files.is_directory(path):
                    session.files.make_directory(path, session.now())
            elif member.isfile():
                contents = found.extractfile(member)
                session.files.write(path, contents.read() if contents else b"", session.now())
                session.files.change_mode(path, _mode_setter(member.mode))
            elif member.issym():
                session.files.link(path, member.linkname, session.now())
            else:
                raise OSError("Operation not supported")
        except OSError as problem:
            yield error(f"tar: can't open '{member.name}': {problem}")
            return 1
        if "v" in request.flags:
            yield Output(f"{member.name}\n".encode())
    return 0


def _mode_setter(mode: int) -> Callable[[int], int]:
    """Return a function for `Files.change_mode` that replaces a file's permission bits by those in `mode`."""
    return lambda _: mode & 0o777


def _create(request: _Request, session: Session) -> Run:
    import tarfile  # noqa: PLC0415  imported at first use

    packed = BytesIO()
    code = 0
    if any(name.startswith("/") for name in request.names):
        yield error("tar: removing leading '/' from member names")
    with tarfile.open(fileobj=packed, mode="w:gz" if "z" in request.flags else "w") as made:
        for name in request.names:
            code = (yield from _pack(name, made, request.directory, session)) or code
    data = packed.getvalue()
    for start in range(0, len(data), _AT_ONCE):
        yield Output(data[start : start + _AT_ONCE])
        yield from session.budget.spend(1)
    return code


def _pack(name: str, made: "TarFile", directory: str, session: Session) -> Steps[int]:
    from tarfile import DIRTYPE, SYMTYPE, TarInfo  # noqa: PLC0415  imported at first use

    if not _exists(posixpath.join(directory, name), session):
        yield error(f"tar: {name}: No such file or directory")
        return 1
    for member in _below(name, directory, session):
        header: TarInfo = TarInfo(member.lstrip("/"))
        path = posixpath.normpath(posixpath.join(directory, member))
        status = session.files.status(path, follows=False)
        header.mtime, header.mode = int(status.modified), status.mode & 0o7777
        header.uid, header.gid = status.uid, status.gid
        if status.is_link:
            header.type, header.linkname = SYMTYPE, status.target
            made.addfile(header)
        elif status.is_directory:
            header.type = DIRTYPE
            made.addfile(header)
        else:
            contents = session.files.read(path)
            header.size = len(contents)
            made.addfile(header, BytesIO(contents))
        yield from session.budget.spend(1)
    return 0


def _exists(path: str, session: Session) -> bool:
    return session.files.exists(posixpath.normpath(path))


def _below(name: str, directory: str, session: Session) -> Iterator[str]:
    """Yield the path of a file or directory, then the paths of everything below it."""
    yield name
    path = posixpath.normpath(posixpath.join(directory, name))
    status = session.files.status(path, follows=False)
    if status.is_directory:
        for inner in session.files.names_in(path):
            yield from _below(posixpath.join(name, inner), directory, session)
