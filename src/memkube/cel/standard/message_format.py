"""Formatting of CEL values in error messages, as Go's ``%v`` prints them."""

from typing import Final

from memkube.apimachinery.go_doubles import format_double
from memkube.cel.standard.calendar import civil, clock, format_offset
from memkube.cel.values import (
    NANOSECONDS,
    DocumentValue,
    Duration,
    MapValue,
    Opaque,
    Optional,
    Timestamp,
    TypeValue,
    Value,
    is_list,
    is_map,
    kind_of,
)

_GO_TYPES: Final = {
    "bool": "types.Bool",
    "bytes": "types.Bytes",
    "double": "types.Double",
    "google.protobuf.Duration": "types.Duration",
    "google.protobuf.Timestamp": "types.Timestamp",
    "int": "types.Int",
    "kubernetes.Quantity": "cel.Quantity",
    "kubernetes.Semver": "cel.Semver",
    "kubernetes.URL": "cel.URL",
    "list": "*types.baseList",
    "map": "*types.baseMap",
    "net.CIDR": "cel.CIDR",
    "net.IP": "cel.IP",
    "null_type": "types.Null",
    "optional_type": "*types.Optional",
    "string": "types.String",
    "type": "*types.Type",
    "uint": "types.Uint",
}


def go_type(value: Value) -> str:
    """Return the Go type that cel-go uses for the value, as ``%T`` prints it."""
    return _GO_TYPES.get(kind_of(value), f"*{kind_of(value)}")


def format_duration(duration: Duration) -> str:
    """Format a duration as Go's ``time.Duration.String`` does: ``1h0m0s``."""
    nanoseconds = abs(duration.nanoseconds)
    minus = "-" if duration.nanoseconds < 0 else ""
    if not nanoseconds:
        return "0s"
    for unit, name in ((1_000, "ns"), (1_000_000, "µs"), (NANOSECONDS, "ms")):
        if nanoseconds < unit:
            return f"{minus}{_decimal(nanoseconds * 1000, unit)}{name}"
    minutes, rest = divmod(nanoseconds, 60 * NANOSECONDS)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(rest, NANOSECONDS)}s"
    if hours:
        return f"{minus}{hours}h{minutes}m{seconds}"
    return f"{minus}{minutes}m{seconds}" if minutes else f"{minus}{seconds}"


def _decimal(number: int, unit: int) -> str:
    whole, part = divmod(number, unit)
    return f"{whole}.{part:0{len(str(unit)) - 1}d}".rstrip("0").rstrip(".")


def format_timestamp(moment: Timestamp) -> str:
    """Format a timestamp as Go's ``time.Time.String`` does."""
    zone = "+0000 UTC" if not moment.offset_seconds else " ".join([format_offset(moment, "")] * 2)
    year, month, day = civil(moment)
    return f"{year:04d}-{month:02d}-{day:02d} {clock(moment)} {zone}"


def format_value(value: Value) -> str:
    """Format a CEL value for an error message, as Go's ``%v`` prints it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "0"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_double(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        return f"[{' '.join(map(str, value))}]"
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Optional):
        return f"optional({format_value(value.value)})" if value.present else "optional.none()"
    if isinstance(value, Timestamp):
        return format_timestamp(value)
    if isinstance(value, Duration):
        return format_duration(value)
    return _written_parts(value)


def _written_parts(value: Value) -> str:
    if isinstance(value, DocumentValue) and not isinstance(value, MapValue):
        return format_value(value.document)
    if is_list(value):
        assert isinstance(value, list)
        return f"[{', '.join(map(format_value, value))}]"
    if is_map(value):
        entries = value.document if isinstance(value, MapValue) else value
        assert isinstance(entries, dict)
        return f"{{{', '.join(f'{format_value(key)}: {format_value(held)}' for key, held in entries.items())}}}"
    return str(value) if isinstance(value, Opaque) else repr(value)
