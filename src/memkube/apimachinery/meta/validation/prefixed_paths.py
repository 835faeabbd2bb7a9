"""Validation of domain-prefixed paths, such as ``acme.io/foo`` (``util/validation``)."""

import re
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.names import is_dns1123_subdomain, regex_error

_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


def prefixed_path_errors(text: str, path: FieldPath) -> list[FieldError]:
    """Validate a path that begins with a DNS subdomain, such as ``acme.io/foo``, and return the errors."""
    if not text:
        return [required(path)]
    host, _, rest = text.partition("/")
    if not host or not rest:
        return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = [invalid(path, host, message) for message in is_dns1123_subdomain(host)]
    if re.fullmatch(_HTTP_PATH, rest) is None:
        errors.append(invalid(path, rest, regex_error("Invalid path", _HTTP_PATH)))
    return errors
