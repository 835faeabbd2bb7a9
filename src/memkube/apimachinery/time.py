"""Instants as the API writes them (RFC 3339 in UTC): whole seconds, or microseconds."""

import re
from datetime import UTC, datetime
from typing import Self

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)")


class Time(str):
    """A metav1.Time in its written form, such as ``2026-01-02T03:04:05Z``."""

    __slots__ = ()
    layout = "2006-01-02T15:04:05Z07:00"

    @classmethod
    def parse(cls, value: object) -> Self:
        """The instant that a client wrote, in UTC. Raises ValueError in the words of the reference."""
        if type(value) is cls:
            return value
        if not isinstance(value, str):
            raise ValueError(f"a {cls.__name__} is written as a string")
        return cls.at(cls._datetime(value))

    @classmethod
    def at(cls, instant: datetime) -> Self:
        """The written form of an instant."""
        return cls(instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))

    @property
    def instant(self) -> datetime:
        """This time as an aware datetime in UTC."""
        return datetime.fromisoformat(self)

    @classmethod
    def _datetime(cls, value: str) -> datetime:
        if not _RFC3339.fullmatch(value):
            raise ValueError(f'parsing time "{value}" as "{cls.layout}": cannot parse "{value}" as "2006"')
        return datetime.fromisoformat(value)


class MicroTime(Time):
    """A metav1.MicroTime in its written form, such as ``2026-01-02T03:04:05.000006Z``."""

    __slots__ = ()
    layout = "2006-01-02T15:04:05.000000Z07:00"

    @classmethod
    def at(cls, instant: datetime) -> Self:
        """The written form of an instant."""
        return cls(instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
