"""Parsing of the durations, such as ``1m30s``, that options of commands take."""

from memkube.apimachinery.duration import parse_duration
from memkube.errors import UsageError


def seconds_of(duration: str) -> float:
    """Return the seconds of a duration such as ``1m30s``. Raises UsageError if it is malformed."""
    try:
        return parse_duration(duration)
    except ValueError as error:
        raise UsageError(str(error)) from None
