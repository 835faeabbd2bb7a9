"""Shell commands that encode files or compute their checksums, with the output of busybox 1.36."""

import gzip
import hashlib
import zlib
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.input import Lines, number, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, Steps, error

_LINE: Final = 76
_BYTES_PER_LINE: Final = 16
_SUFFIX: Final = ".gz"
_MOST_EXPANDED: Final = 8 * 1024 * 1024


def checksum(arguments: Sequence[str], session: Session) -> Run:
    """Run ``md5sum``, ``sha1sum``, ``sha256sum`` or ``sha512sum``. Checking a list of checksums is not simulated."""
    _, names = options(arguments, "")
    algorithm, code = arguments[0].rpartition("/")[2].removesuffix("sum"), 0
    for name in names or ["-"]:
        lines = Lines(arguments[0], [name], session)
        content = b"".join((yield from lines.remaining()))
        if lines.code:
            code = 1
            continue
        digest = hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()
        yield Output(f"{digest}  {name}\n".encode())
    return code


def base64(arguments: Sequence[str], session: Session) -> Run:
    """Run ``base64`` with the options -d and -w."""
    given, names = options(arguments, "d", "w")
    lines = Lines("base64", names[:1], session)
    content = b"".join((yield from lines.remaining()))
    if lines.code:
        return lines.code
    if "d" in given:
        try:
            yield Output(b64decode(b"".join(content.split()), validate=True))
        except Error:
            yield error("base64: truncated input")
            return 1
        return 0
    text, width = b64encode(content), number("base64", given.get("w", str(_LINE)))
    width = width or len(text) or 1
    for start in range(0, len(text), width):
        yield Output(text[start : start + width] + (b"" if given.get("w") == "0" else b"\n"))
    return 0


def show_bytes(arguments: Sequence[str], session: Session) -> Run:
    """Run ``hexdump -C``: print bytes as hexadecimal numbers and as text. Other formats are not simulated."""
    given, names = options(arguments, "Cv")
    if "C" not in given:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    lines = Lines("hexdump", names, session)
    content = b"".join((yield from lines.remaining()))
    last, repeats = b"", False
    for start in range(0, len(content), _BYTES_PER_LINE):
        row = content[start : start + _BYTES_PER_LINE]
        if row == last and len(row) == _BYTES_PER_LINE and "v" not in given:
            if not repeats:
                yield Output(b"*\n")
            repeats = True
            continue
        last, repeats = row, False
        left, right = (" ".join(f"{byte:02x}" for byte in half) for half in (row[:8], row[8:]))
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield Output(f"{start:08x}  {left:23}  {right:23}  |{text}|\n".encode())
    if content:
        yield Output(f"{len(content):08x}\n".encode())
    return lines.code


def compress(arguments: Sequence[str], session: Session) -> Run:
    """Run ``gzip``, ``gunzip`` or ``zcat`` with the options -c, -d, -f, -k and a level."""
    given, names = options(arguments, "cdfk123456789")
    name = arguments[0].rpartition("/")[2]
    expands = "d" in given or name != "gzip"
    to_output = "c" in given or name == "zcat"
    code = 0
    for file in names or ["-"]:
        if file == "-" or to_output:
            converted = yield from _converted(name, file, session, expands=expands)
            if converted is not None:
                yield Output(converted)
        else:
            converted = yield from _replace(name, file, session, expands=expands, keeps="k" in given)
        code = 1 if converted is None else code
    return code


def _replace(command: str, file: str, session: Session, *, expands: bool, keeps: bool) -> Steps[bytes | None]:
    """Replace a file by the compressed or expanded one. Returns None after printing an error."""
    if expands and not file.endswith(_SUFFIX):
        yield error(f"{command}: {file}: unknown suffix - ignored")
        return None
    converted = yield from _converted(command, file, session, expands=expands)
    if converted is None:
        return None
    target = file.removesuffix(_SUFFIX) if expands else file + _SUFFIX
    try:
        session.files.write(session.path(target), converted, session.now())
        if not keeps:
            session.files.remove(session.path(file))
    except OSError as problem:
        yield error(f"{command}: {target}: {problem}")
        return None
    return converted


def _converted(command: str, file: str, session: Session, *, expands: bool) -> Steps[bytes | None]:
    """Return the compressed or expanded content of a file, or of standard input if `file` is ``-``.

    Returns None after printing an error.
    """
    lines = Lines(command, [file], session)
    content = b"".join((yield from lines.remaining()))
    if lines.code:
        return None
    if not expands:
        return gzip.compress(content, mtime=0)
    try:
        expander = zlib.decompressobj(zlib.MAX_WBITS | 16)
        expanded = expander.decompress(content, _MOST_EXPANDED)
    except zlib.error:
        yield error(f"{command}: invalid magic")
        return None
    if expander.unconsumed_tail:
        raise NotSimulated(f"{command} of more than 8 MiB is not simulated")
    return expanded
