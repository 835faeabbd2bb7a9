"""Semantic versions (apiserver ``pkg/cel/library/semverlib.go``, blang's ``semver/v4``)."""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from memkube.apimachinery.shown_values import quoted
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.values import MAX_INT, MAX_UINT, Opaque

_digits: Final = re.compile("[0-9]*")
_word: Final = re.compile("[-0-9A-Za-z]*")
_TYPE: Final = "kubernetes.Semver"


@dataclass(frozen=True, slots=True, eq=False)
class Semver(Opaque):
    """A semantic version. Comparison ignores build metadata and raises EvaluationError for a value of another type."""

    type_name: ClassVar[str] = _TYPE
    numbers: tuple[int, int, int]
    prerelease: tuple[int | str, ...] = ()
    build: str = ""

    @property
    def _order(self) -> tuple[object, ...]:
        # Numeric identifiers sort before alphanumeric ones, and a release sorts after its prereleases.
        words = tuple((isinstance(word, str), word) for word in self.prerelease)
        return (*self.numbers, not self.prerelease, words)

    def compare(self, other: "Semver") -> int:
        """Return -1, 0 or 1 if this version is less than, equal to or greater than `other`."""
        one, two = self._order, other._order
        return (one > two) - (one < two)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Semver):
            raise no_such_overload()
        return self._order == other._order

    def __hash__(self) -> int:
        return hash(self._order)

    def __str__(self) -> str:
        prerelease = f"-{'.'.join(map(str, self.prerelease))}" if self.prerelease else ""
        return f"{'.'.join(map(str, self.numbers))}{prerelease}{self.build and '+'}{self.build}"


def semver(text: str) -> Semver:
    """Parse a semantic version such as ``1.2.3``. Raises EvaluationError if it is invalid."""
    try:
        return _parsed(text)
    except ValueError as error:
        raise EvaluationError(str(error)) from None


def _parsed(text: str) -> Semver:
    """Parse a version. Raises ValueError with Kubernetes' message."""
    if not text:
        raise ValueError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise ValueError("No Major.Minor.Patch elements found")
    major, minor = _number("major", parts[0]), _number("minor", parts[1])
    rest, plus, build = parts[2].partition("+")
    rest, dash, prerelease = rest.partition("-")
    patch = _number("patch", rest)
    words = tuple(_prerelease(word) for word in prerelease.split(".")) if dash else ()
    for word in build.split(".") if plus else ():
        if not word:
            raise ValueError("Build meta data is empty")
        if _word.fullmatch(word) is None:
            raise ValueError(f"Invalid character(s) found in build meta data {quoted(word)}")
    return Semver((major, minor, patch), words, build)


def _number(name: str, text: str) -> int:
    if _digits.fullmatch(text) is None:
        raise ValueError(f"Invalid character(s) found in {name} number {quoted(text)}")
    if len(text) > 1 and text.startswith("0"):
        raise ValueError(f"{name.capitalize()} number must not contain leading zeroes {quoted(text)}")
    return _unsigned(text)


def _prerelease(word: str) -> int | str:
    if not word:
        raise ValueError("Prerelease is empty")
    if _digits.fullmatch(word) is None:
        if _word.fullmatch(word) is None:
            raise ValueError(f"Invalid character(s) found in prerelease {quoted(word)}")
        return word
    if len(word) > 1 and word.startswith("0"):
        raise ValueError(f"Numeric PreRelease version must not contain leading zeroes {quoted(word)}")
    return _unsigned(word)


def _unsigned(text: str) -> int:
    if not text:
        raise ValueError('strconv.ParseUint: parsing "": invalid syntax')
    # A 64-bit number has at most 20 digits. Longer strings are refused without a conversion, which would take long.
    if len(text) > 20 or int(text) > MAX_UINT:
        raise ValueError(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    return int(text)


def _normalized(text: str) -> str:
    """Return the version without a leading ``v`` and without leading zeros, with missing numbers set to 0.

    Raises ValueError if the version is malformed.
    """
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3 and re.search("[+-]", parts[-1]):
        raise ValueError("short version cannot contain PreRelease/Build meta data")
    return ".".join(parts + ["0"] * (3 - len(parts)))


def _without_zeros(part: str) -> str:
    if len(part) < 2:
        return part
    stripped = part.lstrip("0")
    return stripped if re.match("[0-9]", stripped) else f"0{stripped}"


def _semver_normalized(text: str, normalize: bool) -> Semver:
    try:
        return _parsed(_normalized(text) if normalize else text)
    except ValueError as error:
        raise EvaluationError(str(error)) from None


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        _semver_normalized(text, normalize)
    except EvaluationError:
        return False
    return True


def _signed(number: int) -> int:
    return number if number <= MAX_INT else number - MAX_UINT - 1


SEMVERS: Final[Implementations] = {
    "semver": {f"(string): {_TYPE}": semver, f"(string, bool): {_TYPE}": _semver_normalized},
    "isSemver": {"(string): bool": _is_semver, "(string, bool): bool": _is_semver},
    "isGreaterThan": {f"{_TYPE}.({_TYPE}): bool": lambda one, other: one.compare(other) > 0},
    "isLessThan": {f"{_TYPE}.({_TYPE}): bool": lambda one, other: one.compare(other) < 0},
    "compareTo": {f"{_TYPE}.({_TYPE}): int": Semver.compare},
    "major": {f"{_TYPE}.(): int": lambda version: _signed(version.numbers[0])},
    "minor": {f"{_TYPE}.(): int": lambda version: _signed(version.numbers[1])},
    "patch": {f"{_TYPE}.(): int": lambda version: _signed(version.numbers[2])},
}
