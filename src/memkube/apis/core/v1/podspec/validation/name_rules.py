"""Names and numbers as field rules."""

from collections.abc import Iterable

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.names import is_dns1123_label, is_dns1123_subdomain, is_unix_id


def validate_dns_label(value: str, path: FieldPath) -> list[FieldError]:
    """The value is a label of a domain name."""
    return [invalid(path, value, error) for error in is_dns1123_label(value)]


def validate_subdomain(value: str, path: FieldPath) -> list[FieldError]:
    """The value is a domain name."""
    return [invalid(path, value, error) for error in is_dns1123_subdomain(value)]


def validate_unix_id(value: int | None, path: FieldPath) -> list[FieldError]:
    """The value, where there is one, is the number of a user or group."""
    return [] if value is None else [invalid(path, value, error) for error in is_unix_id(value)]


def require(owner: object, names: Iterable[str], path: FieldPath) -> list[FieldError]:
    """Each of these fields of `owner` is set."""
    return [required(path.child(name)) for name in names if not getattr(owner, name)]
