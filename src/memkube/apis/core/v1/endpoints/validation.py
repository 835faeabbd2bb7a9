"""Validation rules for Endpoints and for the IP addresses of backends (``pkg/apis/core/validation``)."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.ip_addresses import Address, parse_unmapped_ip, validate_ip
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_dns1123_label, is_port_number, subdomain_name
from memkube.apis.core.v1.endpoints.types import EndpointAddress, EndpointPort, Endpoints, EndpointSubset
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update

PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_SUBSETS: Final = FieldPath("subsets")
_LOCAL_GROUPS: Final = IPv4Network("224.0.0.0/24")


def validate_endpoints(new: Endpoints, old: Endpoints | None = None) -> list[FieldError]:
    """Validate an Endpoints object: each subset has valid addresses and ports.

    The subsets are not checked if they are equal to the subsets of `old`.
    """
    errors = validate_metadata(new.metadata, subdomain_name, namespaced=True)
    subset_errors = _validate_subsets(new.subsets)
    if subset_errors and old is not None and new.subsets == old.subsets:
        return errors
    return errors + subset_errors


def validate_endpoints_update(new: Endpoints, old: Endpoints) -> list[FieldError]:
    """Validate an update of an Endpoints object by the rules for new ones."""
    return validate_metadata_update(new.metadata, old.metadata) + validate_endpoints(new, old)


def validate_endpoint_ip(text: str, path: FieldPath) -> list[FieldError]:
    """Validate the IP address of a service's backend.

    Unspecified, loopback, link-local and link-local multicast addresses are errors.
    """
    address = parse_unmapped_ip(text)
    if address is None:
        return [invalid(path, text, "must be a valid IP address")]
    errors: list[FieldError] = []
    if address.is_unspecified:
        errors.append(invalid(path, text, f"may not be unspecified ({text})"))
    if address.is_loopback:
        errors.append(invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
    if address.is_link_local:
        errors.append(invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"))
    if _is_link_local_multicast(address):
        errors.append(invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"))
    return errors


def _is_link_local_multicast(address: Address) -> bool:
    if address.version == 4:
        return address in _LOCAL_GROUPS
    first, second, *_ = address.packed
    return first == 0xFF and second & 0x0F == 0x02


def _validate_subsets(subsets: Sequence[EndpointSubset]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, subset in enumerate(subsets):
        path = _SUBSETS.item(index)
        if not (subset.addresses or subset.notReadyAddresses):
            errors.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
        for name in ("addresses", "notReadyAddresses"):
            for position, address in enumerate(getattr(subset, name)):
                errors += _validate_address(address, path.child(name).item(position))
        for position, port in enumerate(subset.ports):
            errors += _validate_port(port, path.child("ports").item(position), named=len(subset.ports) > 1)
    return errors


def _validate_address(address: EndpointAddress, path: FieldPath) -> list[FieldError]:
    errors = validate_ip(path.child("ip"), address.ip)
    if address.hostname:
        errors += [invalid(path.child("hostname"), address.hostname, e) for e in is_dns1123_label(address.hostname)]
    if address.nodeName is not None:
        errors += [invalid(path.child("nodeName"), address.nodeName, e) for e in subdomain_name(address.nodeName)]
    return errors + validate_endpoint_ip(address.ip, path.child("ip"))


def _validate_port(port: EndpointPort, path: FieldPath, *, named: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if named and not port.name:
        errors.append(required(path.child("name")))
    elif port.name:
        errors += [invalid(path.child("name"), port.name, error) for error in is_dns1123_label(port.name)]
    errors += [invalid(path.child("port"), port.port, error) for error in is_port_number(port.port)]
    if not port.protocol:
        errors.append(required(path.child("protocol")))
    elif port.protocol not in PROTOCOLS:
        errors.append(not_supported(path.child("protocol"), port.protocol, PROTOCOLS))
    if port.appProtocol is not None:
        errors += validate_label_name(port.appProtocol, path.child("appProtocol"))
    return errors
