"""Rules for writing IPAddresses: name and parent reference (``pkg/apis/networking/validation``)."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.ip_addresses import validate_canonical_ip
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import is_dns1123_subdomain, is_path_segment_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.networking.v1.ipaddresses.types import IPAddress, ParentReference
from memkube.registry.declarations.strategy import Strategy

_PARENT: Final = FieldPath("spec").child("parentRef")


def validate_ip_address(ip_address: IPAddress) -> list[FieldError]:
    """Validate an IPAddress: its name is an IP address in canonical form, and it has a parent."""
    errors = validate_metadata(ip_address.metadata, _address_name, namespaced=False)
    return errors + _validate_parent(ip_address.spec.parentRef)


def validate_ip_address_update(new: IPAddress, old: IPAddress) -> list[FieldError]:
    """Validate an update of an IPAddress by the rules for new IPAddresses; `parentRef` is immutable."""
    errors = validate_ip_address(new) + validate_metadata_update(new.metadata, old.metadata)
    if new.spec.parentRef != old.spec.parentRef:
        errors.append(invalid(_PARENT, InternalValue(new.spec.parentRef), FIELD_IMMUTABLE))
    return errors


def _address_name(name: str, is_prefix: bool = False) -> list[str]:
    return [error.detail for error in validate_canonical_ip(FieldPath(), name)]


def _validate_parent(parent: ParentReference | None) -> list[FieldError]:
    if parent is None:
        return [required(_PARENT)]
    errors: list[FieldError] = []
    if parent.group:
        errors += [
            invalid(_PARENT.child("group"), parent.group, problem) for problem in is_dns1123_subdomain(parent.group)
        ]
    for name in ("resource", "name", "namespace"):
        value: str = getattr(parent, name)
        if value:
            errors += [invalid(_PARENT.child(name), value, problem) for problem in is_path_segment_name(value)]
        elif name != "namespace":
            errors.append(required(_PARENT.child(name)))
    return errors


class IPAddressStrategy(Strategy[IPAddress]):
    """Validation of IPAddresses: the name is a canonical IP address, and `parentRef` is required and immutable.

    Source: ``pkg/registry/networking/ipaddress/strategy.go``.
    """

    suffixes_names: ClassVar[bool] = False

    validate = staticmethod(validate_ip_address)
    validate_update = staticmethod(validate_ip_address_update)
