"""Instants as the API writes them (RFC 3339 in UTC): whole seconds, or microseconds."""

import re
from datetime import UTC, datetime
from typing import ClassVar, Final, Self

from memkube.apimachinery.go_time import parse_go_time

_ZERO: Final = "0001-01-01T00:00:00"


class Time(str):
    """A metav1.Time in its written form, such as ``2026-01-02T03:04:05Z``."""

    __slots__ = ()
    layout: ClassVar[str] = "2006-01-02T15:04:05Z07:00"
    _written: ClassVar[re.Pattern[str]] = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)

    @classmethod
    def parse(cls, value: object) -> Self:
        """The instant that a client wrote, in UTC. Raises ValueError in the words of the reference."""
        if type(value) is cls:
            return value
        if not isinstance(value, str):
            raise ValueError(f"a {cls.__name__} is written as a string")
        if cls._written.fullmatch(value):
            try:
                datetime.fromisoformat(value)
            except ValueError:
                return cls.at(cls._read(value))
            return cls(value)
        return cls.at(cls._read(value))

    @classmethod
    def parse_unless_zero(cls, value: object) -> Self | None:
        """Like `parse`, and None for the zero time, which the reference writes as null."""
        time = cls.parse(value)
        return None if time.startswith(_ZERO) else time

    @classmethod
    def at(cls, instant: datetime) -> Self:
        """The written form of an instant."""
        return cls(instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))

    @property
    def instant(self) -> datetime:
        """This time as an aware datetime in UTC."""
        return datetime.fromisoformat(self)

    @classmethod
    def _read(cls, value: str) -> datetime:
        return parse_go_time(value, cls.layout, micro=False)


class MicroTime(Time):
    """A metav1.MicroTime in its written form, such as ``2026-01-02T03:04:05.000006Z``."""

    __slots__ = ()
    layout = "2006-01-02T15:04:05.000000Z07:00"
    _written = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)

    @classmethod
    def at(cls, instant: datetime) -> Self:
        """The written form of an instant."""
        return cls(instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"))

    @classmethod
    def _read(cls, value: str) -> datetime:
        return parse_go_time(value, cls.layout, micro=True)
