"""Validation of Secrets, including the required keys of each type (``pkg/apis/core/validation``: ValidateSecret)."""

from collections.abc import Callable
from typing import Final, TypeAlias

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.decoding.json_body import syntax_error
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required, too_long
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import is_config_map_key, subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.secrets.types import Secret

TLS: Final = "kubernetes.io/tls"
TLS_CERTIFICATE: Final = "tls.crt"
TLS_KEY: Final = "tls.key"

_DATA: Final = FieldPath("data")
_ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
_JSON_TYPES: Final = {"[": "array", '"': "string", "t": "bool", "f": "bool"}

_Rule: TypeAlias = Callable[[Secret], list[FieldError]]
_SIZE_LIMIT: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def validate_contents(secret: Secret) -> list[FieldError]:
    """Validate that a Secret has the keys which its type requires.

    Unknown types require no keys.
    """
    rule = _RULES.get(secret.type)
    return rule(secret) if rule else []


def _service_account_token(secret: Secret) -> list[FieldError]:
    if secret.metadata.annotations.get(_ACCOUNT_NAME):
        return []
    return [required(FieldPath("metadata").child("annotations").key(_ACCOUNT_NAME))]


def _basic_auth(secret: Secret) -> list[FieldError]:
    if "username" in secret.data or "password" in secret.data:
        return []
    return [required(_DATA.key("username")), required(_DATA.key("password"))]


def _ssh_auth(secret: Secret) -> list[FieldError]:
    return [] if secret.data.get("ssh-privatekey") else [required(_DATA.key("ssh-privatekey"))]


def _tls(secret: Secret) -> list[FieldError]:
    return [required(_DATA.key(key)) for key in (TLS_CERTIFICATE, TLS_KEY) if key not in secret.data]


def _json_object(key: str) -> _Rule:
    def rule(secret: Secret) -> list[FieldError]:
        if key not in secret.data:
            return [required(_DATA.key(key))]
        fault = _json_error(decode_base64(secret.data[key]))
        return [invalid(_DATA.key(key), "<secret contents redacted>", fault)] if fault else []

    return rule


def _json_error(text: bytes) -> str | None:
    """Return Go's error message if the text is not a JSON object; None if it is an object or null."""
    fault = syntax_error(text)
    if fault is not None:
        return fault
    first = text.lstrip()[:1].decode()
    if first in "{n":
        return None
    return f"json: cannot unmarshal {_JSON_TYPES.get(first, 'number')} into Go value of type map[string]interface {{}}"


_RULES: Final[dict[str, _Rule]] = {
    "kubernetes.io/service-account-token": _service_account_token,
    "kubernetes.io/dockercfg": _json_object(".dockercfg"),
    "kubernetes.io/dockerconfigjson": _json_object(".dockerconfigjson"),
    "kubernetes.io/basic-auth": _basic_auth,
    "kubernetes.io/ssh-auth": _ssh_auth,
    TLS: _tls,
}


def validate_secret(secret: Secret) -> list[FieldError]:
    """Validate a Secret: valid keys, at most 1 MiB of values in total, and all keys that its type requires."""
    errors = validate_metadata(secret.metadata, subdomain_name, namespaced=True)
    for key in secret.data:
        errors += [invalid(_DATA.key(key), key, error) for error in is_config_map_key(key)]
    if sum(len(decode_base64(value)) for value in secret.data.values()) > _SIZE_LIMIT:
        errors.append(too_long(_DATA, _SIZE_LIMIT))
    return errors + validate_contents(secret)


def validate_secret_update(new: Secret, old: Secret) -> list[FieldError]:
    """Validate an update of a Secret: the type is immutable, and so is the data of an immutable secret."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_immutable(new.type, old.type, FieldPath("type"))
    if old.immutable:
        if not new.immutable:
            errors.append(forbidden("immutable", _IMMUTABLE))
        if new.data != old.data:
            errors.append(forbidden("data", _IMMUTABLE))
    return errors + validate_secret(new)
