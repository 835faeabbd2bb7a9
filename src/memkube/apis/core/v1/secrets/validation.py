"""Rules for secrets."""

from typing import Final

from memkube.apimachinery.base64 import decoded_base64
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, too_long
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import is_config_map_key, subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.secrets.contents import validate_contents
from memkube.apis.core.v1.secrets.types import Secret

_METADATA: Final = FieldPath("metadata")
_DATA: Final = FieldPath("data")
_SIZE_LIMIT: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def validate_secret(secret: Secret) -> list[FieldError]:
    """Keys are file names, all values together have at most 1 MiB, and the type finds what it needs."""
    errors = validate_metadata(secret.metadata, True, subdomain_name, _METADATA)
    for key in secret.data:
        errors += [invalid(_DATA.key(key), key, error) for error in is_config_map_key(key)]
    if sum(len(decoded_base64(value)) for value in secret.data.values()) > _SIZE_LIMIT:
        errors.append(too_long(_DATA, _SIZE_LIMIT))
    return errors + validate_contents(secret)


def validate_secret_update(new: Secret, old: Secret) -> list[FieldError]:
    """The type stays; what is immutable stays, and stays immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata, _METADATA)
    errors += validate_immutable(new.type, old.type, FieldPath("type"))
    if old.immutable:
        if not new.immutable:
            errors.append(forbidden("immutable", _IMMUTABLE))
        if new.data != old.data:
            errors.append(forbidden("data", _IMMUTABLE))
    return errors + validate_secret(new)
