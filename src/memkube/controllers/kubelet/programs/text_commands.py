"""Shell commands that process lines of text, such as ``cat``, ``sort`` and ``cut``."""

import math
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from memkube.controllers.kubelet.programs.escapes import unescaped
from memkube.controllers.kubelet.programs.input import Lines, number, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, ReadLine, Run, Session, error

_CLASSES: Final = {
    "upper": bytes(range(ord("A"), ord("Z") + 1)),
    "lower": bytes(range(ord("a"), ord("z") + 1)),
    "digit": b"0123456789",
    "space": b"\t\n\v\f\r ",
    "blank": b"\t ",
    "punct": bytes(code for code in range(33, 127) if not chr(code).isalnum()),
    "cntrl": bytes((*range(32), 127)),
    "xdigit": b"0123456789ABCDEFabcdef",
}
_CLASSES["alpha"] = _CLASSES["upper"] + _CLASSES["lower"]
_CLASSES["alnum"] = _CLASSES["alpha"] + _CLASSES["digit"]
_LEADING_NUMBER: Final = re.compile(rb"\s*(-?[0-9]{1,18})")


def cat(arguments: Sequence[str], session: Session) -> Run:
    """Run ``cat``: print files."""
    _, names = options(arguments, "u")
    lines = Lines("cat", names, session)
    while line := (yield from lines.next()):
        yield Output(line)
    return lines.code


def count(arguments: Sequence[str], session: Session) -> Run:
    """Run ``wc``: count lines, words and bytes."""
    given, names = options(arguments, "lwcm")
    chosen = [letter for letter in "lwcm" if letter in given] or list("lwc")
    total = dict.fromkeys("lwcm", 0)
    code = 0
    for name in names or [""]:
        counts = dict.fromkeys("lwcm", 0)
        lines = Lines("wc", [name] if name else [], session)
        while line := (yield from lines.next()):
            counts["l"] += line.endswith(b"\n")
            counts["w"] += len(line.split())
            counts["c"] += len(line)
            counts["m"] += len(line.decode(errors="replace"))
        if lines.code:
            code = 1
            continue
        yield _counted(counts, chosen, name)
        total = {letter: total[letter] + counts[letter] for letter in total}
    if len(names) > 1:
        yield _counted(total, chosen, "total")
    return code


def sort(arguments: Sequence[str], session: Session) -> Run:
    """Run ``sort``: order lines by their bytes, or by the numbers at their beginning."""
    given, names = options(arguments, "nru")
    lines = Lines("sort", names, session)
    found = [line if line.endswith(b"\n") else line + b"\n" for line in (yield from lines.remaining())]
    key: Callable[[bytes], tuple[int, bytes]] = _by_number if "n" in given else lambda line: (0, line)
    found.sort(key=key, reverse="r" in given)
    if "u" in given:
        same: Callable[[bytes], object] = (lambda line: _by_number(line)[0]) if "n" in given else (lambda line: line)
        found = [next(group) for _, group in groupby(found, same)]
    for line in found:
        yield Output(line)
        yield from session.budget.spend(1)
    return lines.code


def unique(arguments: Sequence[str], session: Session) -> Run:
    """Run ``uniq``: print adjacent equal lines only once."""
    given, names = options(arguments, "cdu")
    lines = Lines("uniq", names[:1], session)
    before, times = b"", 0
    while True:
        line = yield from lines.next()
        if line and not line.endswith(b"\n"):
            line += b"\n"
        if times and line != before:
            if not ("d" in given and times == 1) and not ("u" in given and times > 1):
                yield Output((b"%7d " % times if "c" in given else b"") + before)
            times = 0
        if not line:
            return lines.code
        before, times = line, times + 1


def translate(arguments: Sequence[str], session: Session) -> Run:
    """Run ``tr``: replace, delete or squeeze characters."""
    given, sets = options(arguments, "cds")
    if len(sets) != (1 if "d" in given or ("s" in given and len(sets) == 1) else 2):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    first = _characters(sets[0])
    if "c" in given:
        first = bytes(code for code in range(256) if code not in first)
    last = _characters(sets[-1])
    table = bytes.maketrans(first, last[: len(first)].ljust(len(first), last[-1:])) if len(sets) > 1 else None
    deleted = first if "d" in given else b""
    squeezed = re.compile(b"([" + re.escape(last if len(sets) > 1 else first) + b"])\\1+") if "s" in given else None
    before = b""
    lines = Lines("tr", [], session)
    while line := (yield from lines.next()):
        text = line.translate(table, deleted)
        if squeezed is not None:
            # ``tr -s`` also squeezes across line breaks, so `before` has the last character before this line.
            text, before = squeezed.sub(rb"\1", before + text)[len(before) :], text[-1:] or before
        yield Output(text)
    return 0


def cut(arguments: Sequence[str], session: Session) -> Run:
    """Run ``cut``: select fields or characters of each line."""
    given, names = options(arguments, "s", "dfc")
    ranges = [_range(text) for text in given.get("f", given.get("c", "")).split(",")]
    separator = given.get("d", "\t")
    lines = Lines("cut", names, session)
    while line := (yield from lines.next()):
        text = line.decode(errors="replace").rstrip("\n")
        parts = list(text) if "c" in given else text.split(separator)
        if len(parts) == 1 and "f" in given:
            chosen = [] if "s" in given else parts
        else:
            chosen = [part for at, part in enumerate(parts, 1) if any(low <= at <= high for low, high in ranges)]
        if chosen or "s" not in given:
            yield Output((("" if "c" in given else separator).join(chosen) + "\n").encode())
    return lines.code


def reverse(arguments: Sequence[str], session: Session) -> Run:
    """Run ``rev``: reverse each line."""
    lines = Lines("rev", arguments[1:], session)
    while line := (yield from lines.next()):
        text = line.decode(errors="replace")
        yield Output((text.rstrip("\n")[::-1] + ("\n" if text.endswith("\n") else "")).encode())
    return lines.code


def tee(arguments: Sequence[str], session: Session) -> Run:
    """Run ``tee``: copy the input to files."""
    given, names = options(arguments, "a")
    code = 0
    files = []
    for name in names:
        try:
            session.files.write(session.path(name), b"", session.now(), appends="a" in given)
            files.append(session.path(name))
        except OSError as problem:
            yield error(f"tee: {name}: {problem}")
            code = 1
    while line := (yield ReadLine()):
        yield from session.budget.spend(1)
        yield Output(line)
        for path in list(files):
            try:
                session.files.write(path, line, session.now(), appends=True)
            except OSError as problem:
                yield error(f"tee: {path}: {problem}")
                files.remove(path)
                code = 1
    return code


def _counted(counts: dict[str, int], chosen: list[str], name: str) -> Output:
    width = 9 if len(chosen) > 1 else 0
    text = " ".join(f"{counts[letter]:{width}d}" for letter in chosen)
    return Output((f"{text} {name}" if name else text).encode() + b"\n")


def _by_number(line: bytes) -> tuple[int, bytes]:
    found = _LEADING_NUMBER.match(line)
    return int(found[1]) if found else 0, line


def _characters(text: str) -> bytes:
    """Return the characters that a set of ``tr`` contains, such as ``a-z`` or ``[:upper:]``."""
    text, _ = unescaped(text)
    found = b""
    while text:
        named = re.match(r"\[:([a-z]+):\]", text)
        if named:
            if named[1] not in _CLASSES:
                raise NotSimulated(f"tr with the class {named[0]} is not simulated")
            found += _CLASSES[named[1]]
            text = text[named.end() :]
        elif len(text) > 2 and text[1] == "-" and ord(text[0]) <= ord(text[2]) < 256:
            found += bytes(range(ord(text[0]), ord(text[2]) + 1))
            text = text[3:]
        else:
            found += text[0].encode()
            text = text[1:]
    return found


def _range(text: str) -> tuple[int, float]:
    low, dash, high = text.partition("-")
    if not (low or high):
        raise NotSimulated("cut without a field or character is not simulated")
    first = number("cut", low) if low else 1
    return first, (number("cut", high) if high else math.inf) if dash else first
