"""Rules for configurations of kubelets, which nothing uses any more."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.names import NameRule, is_config_map_key, label_name, subdomain_name
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.nodes.types.config import ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus

_ONE_REFERENCE: Final = "exactly one reference subfield must be non-nil"


def validate_config_source(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    """The configuration is named, and no version of it in particular."""
    if source.configMap is None:
        return [invalid(path, Unversioned(source), _ONE_REFERENCE)]
    item, errors = path.child("configMap"), []
    if source.configMap.uid:
        errors.append(forbidden(item.child("uid"), "uid must not be set in spec"))
    if source.configMap.resourceVersion:
        errors.append(forbidden(item.child("resourceVersion"), "resourceVersion must not be set in spec"))
    return errors + _validate_reference(source.configMap, item)


def validate_config_status(status: NodeConfigStatus, path: FieldPath) -> list[FieldError]:
    """Configurations in use are named with their versions."""
    errors: list[FieldError] = []
    for name in ("assigned", "active", "lastKnownGood"):
        source: NodeConfigSource | None = getattr(status, name)
        if source is not None:
            errors += _validate_used(source, path.child(name))
    return errors


def _validate_used(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    if source.configMap is None:
        return [invalid(path, Unversioned(source), _ONE_REFERENCE)]
    item = path.child("configMap")
    missing = [name for name in ("uid", "resourceVersion") if not getattr(source.configMap, name)]
    return [required(item.child(name)) for name in missing] + _validate_reference(source.configMap, item)


def _validate_reference(reference: ConfigMapNodeConfigSource, path: FieldPath) -> list[FieldError]:
    rules: dict[str, NameRule] = {
        "namespace": label_name,
        "name": subdomain_name,
        "kubeletConfigKey": lambda key, _: is_config_map_key(key),
    }
    errors: list[FieldError] = []
    for name, rule in rules.items():
        value: str = getattr(reference, name)
        problems = rule(value, False)
        errors += [invalid(path.child(name), value, p) for p in problems] if value else [required(path.child(name))]
    return errors
