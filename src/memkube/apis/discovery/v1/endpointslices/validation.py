"""Validation of EndpointSlices: addresses, hints and ports (``pkg/apis/discovery/validation``)."""

from collections.abc import Callable, Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from memkube.apimachinery.ip_addresses import parse_unmapped_ip, validate_canonical_ip, validate_ip
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import is_dns1123_label, is_dns1123_subdomain, is_label_value, subdomain_name
from memkube.apimachinery.shown_values import TypedString
from memkube.apis.core.v1.endpoints.validation import PROTOCOLS, validate_endpoint_ip
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.discovery.v1.endpointslices.types import (
    Endpoint,
    EndpointHints,
    EndpointPort,
    EndpointSlice,
)

_ADDRESS_TYPE: Final = FieldPath("addressType")
_ENDPOINTS: Final = FieldPath("endpoints")
_PORTS: Final = FieldPath("ports")
_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_MOST_TOPOLOGY_LABELS: Final = 16
_MOST_ADDRESSES: Final = 100
_MOST_PORTS: Final = 20_000
_MOST_ENDPOINTS: Final = 1000
_MOST_HINTS: Final = 8
_FEWEST_SEGMENTS: Final = 2


def validate_endpoint_slice(new: EndpointSlice, old: EndpointSlice | None = None) -> list[FieldError]:
    """Validate an EndpointSlice: its addresses have the address type of the slice.

    The endpoints are not checked if they are equal to the endpoints of `old`.
    """
    errors = validate_metadata(new.metadata, subdomain_name, namespaced=True)
    if not new.addressType:
        errors.append(required(_ADDRESS_TYPE))
    elif new.addressType not in _ADDRESS_TYPES:
        errors.append(not_supported(_ADDRESS_TYPE, new.addressType, _ADDRESS_TYPES))
    errors += _validate_ports(new.ports)
    endpoint_errors = _validate_endpoints(new.endpoints, new.addressType)
    if endpoint_errors and old is not None and new.endpoints == old.endpoints:
        return errors
    return errors + endpoint_errors


def validate_endpoint_slice_update(new: EndpointSlice, old: EndpointSlice) -> list[FieldError]:
    """Validate an update of an EndpointSlice by the rules for new slices; addressType is immutable."""
    return validate_endpoint_slice(new, old) + validate_immutable(new.addressType, old.addressType, _ADDRESS_TYPE)


def _validate_endpoints(endpoints: Sequence[Endpoint], address_type: str) -> list[FieldError]:
    if len(endpoints) > _MOST_ENDPOINTS:
        return [too_many(_ENDPOINTS, len(endpoints), _MOST_ENDPOINTS)]
    errors: list[FieldError] = []
    for index, endpoint in enumerate(endpoints):
        errors += _validate_endpoint(endpoint, address_type, _ENDPOINTS.item(index))
    return errors


def _validate_endpoint(endpoint: Endpoint, address_type: str, path: FieldPath) -> list[FieldError]:
    errors = _validate_addresses(endpoint.addresses, address_type, path.child("addresses"))
    if endpoint.nodeName is not None:
        errors += [invalid(path.child("nodeName"), endpoint.nodeName, e) for e in subdomain_name(endpoint.nodeName)]
    topology = path.child("deprecatedTopology")
    if len(endpoint.deprecatedTopology) > _MOST_TOPOLOGY_LABELS:
        errors.append(too_many(topology, len(endpoint.deprecatedTopology), _MOST_TOPOLOGY_LABELS))
    errors += validate_labels(endpoint.deprecatedTopology, topology)
    if endpoint.hostname is not None:
        errors += [invalid(path.child("hostname"), endpoint.hostname, e) for e in is_dns1123_label(endpoint.hostname)]
    if endpoint.hints is not None:
        errors += _validate_hints(endpoint.hints, path.child("hints"))
    return errors


def _validate_addresses(addresses: Sequence[str], address_type: str, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not addresses:
        errors.append(required(path, "must contain at least 1 address"))
    elif len(addresses) > _MOST_ADDRESSES:
        errors.append(too_many(path, len(addresses), _MOST_ADDRESSES))
    for index, text in enumerate(addresses):
        item = path.item(index)
        match address_type:
            case "IPv4":
                errors += validate_ip(item, text) or _validate_of_family(text, 4, path, item)
            case "IPv6":
                errors += validate_canonical_ip(item, text) or _validate_of_family(text, 6, path, item)
            case "FQDN":
                errors += _validate_domain(text, item)
    return errors


def _validate_of_family(text: str, version: int, path: FieldPath, item: FieldPath) -> list[FieldError]:
    """Validate an IP address of an endpoint; its IP version must be `version`.

    `item` is the path of the address, and `path` is the path of the list of addresses. As in kube-apiserver, the error
    about another version has the path of the list, so that it does not say which address is wrong.
    """
    address = parse_unmapped_ip(text)
    right = address is not None and address.version == version
    errors = [] if right else [invalid(path, text, f"must be an IPv{version} address")]
    return errors + validate_endpoint_ip(text, item)


def _validate_domain(text: str, path: FieldPath) -> list[FieldError]:
    if not text:
        return [required(path)]
    name = text.removesuffix(".")
    if problems := is_dns1123_subdomain(name):
        return [invalid(path, name, ",".join(problems))]
    labels = name.split(".")
    if len(labels) < _FEWEST_SEGMENTS:
        return [invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        if problems := is_dns1123_label(label):
            return [invalid(path, label, ",".join(problems))]
    return []


def _validate_hints(hints: EndpointHints, path: FieldPath) -> list[FieldError]:
    zones, nodes = path.child("forZones"), path.child("forNodes")
    if len(hints.forZones) > _MOST_HINTS:
        return [too_many(zones, len(hints.forZones), _MOST_HINTS)]
    errors = _validate_names([zone.name for zone in hints.forZones], is_label_value, zones)
    if len(hints.forNodes) > _MOST_HINTS:
        return [*errors, too_many(nodes, len(hints.forNodes), _MOST_HINTS)]
    return errors + _validate_names([node.name for node in hints.forNodes], subdomain_name, nodes)


def _validate_names(names: Sequence[str], rule: Callable[[str], list[str]], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(names):
        item = path.item(index).child("name")
        if name in names[:index]:
            errors.append(duplicate(item, name))
        errors += [invalid(item, name, problem) for problem in rule(name)]
    return errors


def _validate_ports(ports: Sequence[EndpointPort]) -> list[FieldError]:
    if len(ports) > _MOST_PORTS:
        return [too_many(_PORTS, len(ports), _MOST_PORTS)]
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        path, name = _PORTS.item(index), port.name or ""
        if name:
            errors += [invalid(path.child("name"), name, problem) for problem in is_dns1123_label(name)]
        if name in names:
            errors.append(duplicate(path.child("name"), TypedString(name)))
        names.add(name)
        if port.protocol is None:
            errors.append(required(path.child("protocol")))
        elif port.protocol not in PROTOCOLS:
            errors.append(not_supported(path.child("protocol"), port.protocol, PROTOCOLS))
        if port.appProtocol is not None:
            errors += validate_label_name(port.appProtocol, path.child("appProtocol"))
    return errors
