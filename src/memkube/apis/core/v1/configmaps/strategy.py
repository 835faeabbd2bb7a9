"""Rules for writing ConfigMaps: keys, total size and immutability of the data (``pkg/apis/core/validation``)."""

from typing import ClassVar, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, too_long
from memkube.apimachinery.names import is_config_map_key, subdomain_name
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.registry.declarations.strategy import Strategy

_DATA: Final = FieldPath("data")
_SIZE_LIMIT: Final = 1024 * 1024


def validate_config_map(config: ConfigMap) -> list[FieldError]:
    """Validate a ConfigMap: keys are unique and valid file names, and the values have at most 1 MiB in total."""
    errors = validate_metadata(config.metadata, subdomain_name, namespaced=True)
    for key in config.data:
        errors += [invalid(_DATA.key(key), key, error) for error in is_config_map_key(key)]
        if key in config.binaryData:
            errors.append(invalid(_DATA.key(key), key, "duplicate of key present in binaryData"))
    for key in config.binaryData:
        errors += [invalid(FieldPath("binaryData").key(key), key, error) for error in is_config_map_key(key)]
    size = sum(len(value.encode()) for value in config.data.values())
    if size + sum(len(decode_base64(value)) for value in config.binaryData.values()) > _SIZE_LIMIT:
        errors.append(too_long("[]", _SIZE_LIMIT))
    return errors


def validate_config_map_update(new: ConfigMap, old: ConfigMap) -> list[FieldError]:
    """Validate an update of a ConfigMap.

    If the old ConfigMap is immutable, the data must not change, and `immutable` must stay true.
    """
    errors = validate_metadata_update(new.metadata, old.metadata)
    if old.immutable:
        changed = {
            "immutable": not new.immutable,
            "data": new.data != old.data,
            "binaryData": new.binaryData != old.binaryData,
        }
        detail = "field is immutable when `immutable` is set"
        errors += [forbidden(name, detail) for name, differs in changed.items() if differs]
    return errors + validate_config_map(new)


class ConfigMapStrategy(Strategy[ConfigMap]):
    """Validates the keys, the total size and the immutability of ConfigMaps that clients create and update.

    Source: ``pkg/registry/core/configmap/strategy.go``.
    """

    validates_metadata: ClassVar[bool] = True
    validates_changed_metadata: ClassVar[bool] = True

    validate = staticmethod(validate_config_map)
    validate_update = staticmethod(validate_config_map_update)
