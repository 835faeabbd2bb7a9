"""Parsing of command lines as Go programs do: by pflag in kube-apiserver, and by the package flag in etcd.

The error messages are those of the Go packages. The module does not import the server, so that ``--help`` is fast.
"""

import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from memkube.apimachinery.go_integers import parse_prefixed_int64
from memkube.version import KUBERNETES_VERSION

Kind: TypeAlias = Literal[
    "bool", "duration", "float", "int", "ip", "mapStringString", "string", "stringArray", "strings", "version"
]
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_without_value: Final = frozenset({"bool", "version"})
_is_duration: Final = re.compile(r"[+-]?(0|(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+").fullmatch
_duration_parts: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)").findall
_VERSION: Final = re.compile(r"v(\d+\.\d+\.\d+)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}


class FlagError(ValueError):
    """Raised for an invalid command line. The message is the one that the Go package prints."""


class Flag(NamedTuple):
    """A flag of kube-apiserver or etcd: the type of its value, and whether memkube supports, ignores or refuses it."""

    name: str
    kind: Kind = "string"
    """Type of the value. ``strings`` is a list with commas, ``stringArray`` a repeated flag with one value each."""
    help: str = ""
    """Description of the flag's effect; empty for a flag without effect."""
    only: str | None = None
    """The only value that is accepted; None if all values are."""
    refused: str = ""
    """Error message for any value except an empty one; empty if the flag is served or ignored."""
    is_listed: bool = True
    """True if ``--help`` lists the flag."""


def flags_of(text: str) -> Iterator[Flag]:
    """Yield, for each item of a text such as ``NAME KIND, NAME KIND``, a flag that is accepted but has no effect."""
    for written in text.replace("\n", " ").split(","):
        name, kind = written.split()
        yield Flag(name, cast("Kind", kind))


class Values:
    """The values that a command line gave to flags. A flag that was not given has no values."""

    def __init__(self, flags: Mapping[str, Flag]) -> None:
        self._flags = flags
        self._given: dict[str, list[str]] = {}
        self.arguments: list[str] = []
        """Arguments that are neither flags nor their values."""

    def add(self, flag: Flag, value: str) -> None:
        """Add a value to a flag. Raises ValueError if the value does not suit the kind of the flag."""
        _CHECKS.get(flag.kind, _accept)(value)
        self._given.setdefault(flag.name, []).append(value)

    def given(self) -> Iterator[tuple[Flag, str]]:
        """Yield the flags that were given, each with its last value."""
        return ((self._flags[name], values[-1]) for name, values in self._given.items())

    def text(self, name: str, default: str = "") -> str:
        """Return the last value of a flag; `default` if the flag was not given."""
        return self._given.get(name, [default])[-1]

    def all(self, name: str) -> list[str]:
        """Return all values of a flag that may be given several times, in their order."""
        return list(self._given.get(name, ()))

    def items(self, name: str) -> list[str]:
        """Return the items of a flag's comma-separated values."""
        return [item for value in self._given.get(name, ()) for item in value.split(",") if value]

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """Return True if the boolean flag `name` was given as true; `default` if it was not given."""
        return self._given[name][-1] in _TRUE if name in self._given else default

    def number(self, name: str, default: int) -> int:
        """Return the value of an integer flag; `default` if the flag was not given."""
        return parse_prefixed_int64(self._given[name][-1]) if name in self._given else default


def parse_pflags(flags: Mapping[str, Flag], arguments: Sequence[str], shorthands: Mapping[str, str]) -> Values:
    """Parse a command line as pflag does: ``--name=value``, ``--name value``, ``-v value``, ``-v4``.

    Underscores in names count as dashes, as in all programs of Kubernetes. `shorthands` maps letters to names of flags.
    Raises FlagError for an unknown flag and an invalid value.
    """
    values, rest = Values(flags), list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            values.arguments += rest
            break
        if len(word) < len("-v") or not word.startswith("-"):
            values.arguments.append(word)
            continue
        if word.startswith("--"):
            written, equals, value = word[2:].partition("=")
            if not written or written.startswith("-"):
                raise FlagError(f"bad flag syntax: {word}")
            flag = flags.get(written.replace("_", "-"))
            if flag is None:
                raise FlagError(f"unknown flag: --{written}")
            shown = f"--{flag.name}"
        else:
            letter, value = word[1], word[2:].removeprefix("=")
            if letter not in shorthands:
                raise FlagError(f"unknown shorthand flag: {_quoted_letter(letter)} in {word}")
            flag, equals = flags[shorthands[letter]], word[2:3]
            shown = f"-{letter}, --{flag.name}"
        if not equals and flag.kind in _without_value:
            value = "true"
        elif not equals:
            if not rest:
                missing = f"--{flag.name}" if word.startswith("--") else f"'{word[1]}' in {word}"
                raise FlagError(f"flag needs an argument: {missing}")
            value = rest.pop(0)
        try:
            values.add(flag, value)
        except ValueError as error:
            raise FlagError(f'invalid argument {_quoted(value)} for "{shown}" flag: {error}') from None
    return values


def parse_go_flags(flags: Mapping[str, Flag], arguments: Sequence[str]) -> Values:
    """Parse a command line as Go's package flag does: one dash or two, and no flags after the first other argument.

    Raises FlagError for an unknown flag and an invalid value.
    """
    values, rest = Values(flags), list(arguments)
    while rest:
        word = rest.pop(0)
        if len(word) < len("-v") or not word.startswith("-"):
            values.arguments = [word, *rest]
            break
        if word == "--":
            values.arguments = rest
            break
        name, equals, value = word[2 if word.startswith("--") else 1 :].partition("=")
        if not name or name.startswith("-"):
            raise FlagError(f"bad flag syntax: {word}")
        flag = flags.get(name)
        if flag is None:
            raise FlagError(f"flag provided but not defined: -{name}")
        if not equals and flag.kind == "bool":
            value = "true"
        elif not equals:
            if not rest:
                raise FlagError(f"flag needs an argument: -{name}")
            value = rest.pop(0)
        try:
            values.add(flag, value)
        except ValueError:
            kind = "boolean value" if flag.kind == "bool" else "value"
            raise FlagError(f"invalid {kind} {_quoted(value)} for -{name}: parse error") from None
    return values


def refusals(values: Values) -> list[str]:
    """Return an error message for each flag whose value on the command line memkube does not support."""
    refused = []
    for flag, value in values.given():
        if flag.refused and value not in ("", "false"):
            refused.append(f"memkube does not support --{flag.name}: {flag.refused}")
        elif flag.only is not None and value and _comparable(flag, value) != _comparable(flag, flag.only):
            refused.append(f"memkube does not support --{flag.name}={value}, only {flag.only}")
    return refused


def help_of(program: str, about: str, flags: Iterable[Flag]) -> str:
    """Return the text that the program prints for ``--help``: a line for each flag that the program accepts.

    `about` is the text before the flags, which says what the program does.
    """
    listed = [flag for flag in flags if flag.is_listed and not flag.refused]
    served = [(_named(flag), flag.help) for flag in listed if flag.help]
    fixed = [(_named(flag), f"only {flag.only}") for flag in listed if not flag.help and flag.only is not None]
    ignored = [(_named(flag), "") for flag in listed if not flag.help and flag.only is None]
    width = max(len(name) for name, _ in served + fixed)
    lines = [about, "", "Usage:", f"  {program} [flags]"]
    titles = ("Flags:", "Flags with one value that is served:", "Flags that are accepted and have no effect:")
    for title, described in zip(titles, (served, fixed, ignored), strict=True):
        if described:
            lines += ["", title, *(f"  {name:{width}}   {says}".rstrip() for name, says in described)]
    return "\n".join(lines) + "\n"


def _named(flag: Flag) -> str:
    return f"--{flag.name}" if flag.kind in _without_value else f"--{flag.name} {flag.kind}"


def _comparable(flag: Flag, value: str) -> object:
    """Convert a flag's value so that values with the same meaning, such as ``1h`` and ``1h0m0s``, become equal."""
    if flag.kind == "bool":
        return value in _TRUE
    if flag.kind == "duration":
        return sum(float(count) * _UNITS[unit] for count, unit in _duration_parts(value))
    return value


def _accept(_: str) -> None:
    return


def _check_bool(value: str) -> None:
    if value not in _TRUE | _FALSE:
        raise ValueError(f"strconv.ParseBool: parsing {_quoted(value)}: invalid syntax")


def _check_version(value: str) -> None:
    """Accept a boolean value, ``raw``, and this release of Kubernetes with a suffix, such as ``v1.36.2-custom``."""
    if value == "raw":
        return
    if not value.startswith("v"):
        _check_bool(value)
        return
    written = _VERSION.fullmatch(value)
    if written is None:
        raise ValueError(f"could not parse {_quoted(value)} as version")
    if written[1] != KUBERNETES_VERSION:
        default = _quoted(f"v{KUBERNETES_VERSION}")
        raise ValueError(f"version {_quoted(value)} must match major/minor/patch of default version {default}")


def _check_float(value: str) -> None:
    try:
        float(value)
    except ValueError:
        raise ValueError(f"strconv.ParseFloat: parsing {_quoted(value)}: invalid syntax") from None


def _check_ip(value: str) -> None:
    try:
        ipaddress.ip_address(value or "0.0.0.0")  # noqa: S104  only parsed
    except ValueError:
        raise ValueError(f"failed to parse IP: {_quoted(value)}") from None


def _check_duration(value: str) -> None:
    if not _is_duration(value):
        raise ValueError(f"time: invalid duration {_quoted(value)}")


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted_letter(letter: str) -> str:
    return f"'{letter}'"


_CHECKS: Final[Mapping[str, Callable[[str], object]]] = {
    "bool": _check_bool,
    "duration": _check_duration,
    "float": _check_float,
    "int": parse_prefixed_int64,
    "ip": _check_ip,
    "version": _check_version,
}
