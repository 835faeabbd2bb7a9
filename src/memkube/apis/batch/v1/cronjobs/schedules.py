"""Validation of cron schedules and time zones.

kube-apiserver uses ``ParseStandard`` of ``github.com/robfig/cron`` 3. No Python library accepts the same schedules or
has the same error messages, so the grammar is implemented here. Time zones are the exact names of the IANA database
(Go's ``time.LoadLocation``).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from zoneinfo import ZoneInfo

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.shown_values import quoted

_EVERY: Final = "@every "
_DESCRIPTORS: Final = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_LARGEST: Final = 2**63
_ZONE_PART: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Bounds:
    lowest: int
    highest: int
    names: Mapping[str, int] = field(default_factory=dict)


_FIELDS: Final = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Bounds(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


def check_schedule(schedule: str) -> None:
    """Validate a schedule. Raises ValueError with kube-apiserver's message if it cannot be parsed."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        schedule = _without_zone(schedule)
    if schedule.startswith("@"):
        _check_descriptor(schedule)
        return
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]")
    for text, bounds in zip(fields, _FIELDS, strict=True):
        for expression in filter(None, text.split(",")):
            _check_range(expression, bounds)


def check_time_zone(name: str) -> None:
    """Validate the name of a time zone. Raises ValueError with kube-apiserver's message if it is unknown."""
    if name in ("", "UTC", "Local"):
        return
    if ".." in name or name[0] in "/\\":
        raise ValueError("time: invalid location name")
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name}") from None


def is_zone_name(name: str) -> bool:
    """True if the name is well-formed for the IANA database (https://data.iana.org/time-zones/theory.html#naming)."""
    parts = name.split("/")
    return all(_ZONE_PART.fullmatch(part) and part not in (".", "..") and part[0] != "-" for part in parts)


def _without_zone(schedule: str) -> str:
    zone, space, rest = schedule.partition(" ")
    if not space:
        raise ValueError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    name = zone.partition("=")[2]
    try:
        check_time_zone(name)
    except ValueError as error:
        raise ValueError(f"provided bad location {name}: {error}") from None
    return rest.strip()


def _check_descriptor(descriptor: str) -> None:
    if descriptor in _DESCRIPTORS:
        return
    if not descriptor.startswith(_EVERY):
        raise ValueError(f"unrecognized descriptor: {descriptor}")
    try:
        parse_duration(descriptor.removeprefix(_EVERY))
    except ValueError as error:
        raise ValueError(f"failed to parse duration {descriptor}: time: {error}") from None


def _check_range(expression: str, bounds: _Bounds) -> None:
    limits, *steps = expression.split("/")
    low, *highs = limits.split("-")
    if low in ("*", "?"):
        start, end = bounds.lowest, bounds.highest
    else:
        start = end = _number_or_name(low, bounds.names)
        if len(highs) > 1:
            raise ValueError(f"too many hyphens: {expression}")
        if highs:
            end = _number_or_name(highs[0], bounds.names)
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {expression}")
    step = _number(steps[0]) if steps else 1
    if steps and not highs:
        end = bounds.highest
    if start < bounds.lowest:
        raise ValueError(f"beginning of range ({start}) below minimum ({bounds.lowest}): {expression}")
    if end > bounds.highest:
        raise ValueError(f"end of range ({end}) above maximum ({bounds.highest}): {expression}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {expression}")


def _number_or_name(text: str, names: Mapping[str, int]) -> int:
    number = names.get(text.lower())
    return _number(text) if number is None else number


def _number(text: str) -> int:
    problem = "" if re.fullmatch("[+-]?[0-9]+", text, re.ASCII) else "invalid syntax"
    if not problem and not -_LARGEST <= int(text) < _LARGEST:
        problem = "value out of range"
    if problem:
        raise ValueError(f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(text)}: {problem}")
    number = int(text)
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number
