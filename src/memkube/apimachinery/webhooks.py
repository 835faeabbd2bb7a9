"""Validation of webhook URLs and Service references (apiserver ``pkg/util/webhook/validation.go``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.go_url import parse_url
from memkube.apimachinery.names import is_dns1123_subdomain, is_port_number

_FORM: Final = "; desired format: https://host[/path]"


def validate_webhook_url(url: str, path: FieldPath) -> list[FieldError]:
    """Validate that a webhook URL has the scheme ``https`` and a host, and has no user, query or fragment."""
    try:
        parsed = parse_url(url)
    except ValueError as error:
        return [required(path, f"url must be a valid URL: {error}{_FORM}")]
    errors: list[FieldError] = []
    if parsed.scheme != "https":
        errors.append(invalid(path, parsed.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not parsed.host:
        errors.append(invalid(path, parsed.host, f"host must be specified{_FORM}"))
    if parsed.user is not None:
        errors.append(invalid(path, parsed.user, "user information is not permitted in the URL"))
    if parsed.fragment:
        errors.append(invalid(path, parsed.fragment, "fragments are not permitted in the URL"))
    if parsed.query:
        errors.append(invalid(path, parsed.query, "query parameters are not permitted in the URL"))
    return errors


def validate_webhook_service(
    name: str, namespace: str, url_path: str | None, port: int | None, path: FieldPath
) -> list[FieldError]:
    """Validate the name, namespace, port and path of a webhook's Service reference."""
    errors: list[FieldError] = []
    # As in Kubernetes, the paths of two errors are exchanged: a missing namespace is reported for `name`, and a missing
    # name for `namespace`.
    if not namespace:
        errors.append(required(path.child("name")))
    if not name:
        errors.append(required(path.child("namespace")))
    if wrong := is_port_number(port or 0):
        errors.append(invalid(path.child("port"), port, f"port is not valid: {', '.join(wrong)}"))
    return errors + _validate_path(url_path or "", path.child("path"))


def _validate_path(written: str, path: FieldPath) -> list[FieldError]:
    if written in ("", "/"):
        return []
    if written == "//":
        return [invalid(path, written, "segment[0] may not be empty")]
    errors = [] if written.startswith("/") else [invalid(path, written, "must start with a '/'")]
    for index, segment in enumerate(written[1:].removesuffix("/").split("/")):
        if not segment:
            errors.append(invalid(path, written, f"segment[{index}] may not be empty"))
            continue
        errors += [invalid(path, written, f"segment[{index}]: {why}") for why in is_dns1123_subdomain(segment)]
    return errors
