"""Validation of NetworkPolicies: selectors, peers, ports and CIDRs (``pkg/apis/networking/validation``)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.ip_addresses import CidrBlock, parse_cidr, validate_cidr
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.names import is_port_name, is_port_number, subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.networking.v1.networkpolicies.types import (
    IPBlock,
    NetworkPolicy,
    NetworkPolicyPeer,
    NetworkPolicyPort,
    NetworkPolicySpec,
)

_SPEC: Final = FieldPath("spec")
_POD_SELECTOR: Final = _SPEC.child("podSelector")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_POLICY_TYPES: Final = ("Ingress", "Egress")


@dataclass(frozen=True, slots=True)
class _Tolerated:
    """Rules that an updated NetworkPolicy may break, because the stored NetworkPolicy breaks them already."""

    label_values: bool = False
    blocks: frozenset[str] = field(default_factory=frozenset)


def validate_network_policy(policy: NetworkPolicy) -> list[FieldError]:
    """Validate a NetworkPolicy: selectors, peers, ports and CIDRs."""
    errors = validate_metadata(policy.metadata, subdomain_name, namespaced=True)
    return errors + _validate_spec(policy.spec, _Tolerated())


def validate_network_policy_update(new: NetworkPolicy, old: NetworkPolicy) -> list[FieldError]:
    """Validate an update of a NetworkPolicy by the rules for new policies.

    CIDRs that the old policy has are not checked again.
    """
    tolerated = _Tolerated(
        bool(validate_label_selector(old.spec.podSelector, _POD_SELECTOR)),
        frozenset(text for _, block in ip_blocks(old) for text in (block.cidr, *block.except_)),
    )
    errors = validate_metadata_update(new.metadata, old.metadata)
    return errors + _validate_spec(new.spec, tolerated)


def ip_blocks(policy: NetworkPolicy) -> Iterator[tuple[FieldPath, IPBlock]]:
    """Yield each IP block of a NetworkPolicy with its field path.

    IP blocks of ingress rules come before those of egress rules.
    """
    for path, peers in _peers(policy.spec):
        for index, peer in enumerate(peers):
            if peer.ipBlock is not None:
                yield path.item(index).child("ipBlock"), peer.ipBlock


def _peers(spec: NetworkPolicySpec) -> Iterator[tuple[FieldPath, Sequence[NetworkPolicyPeer]]]:
    for index, incoming in enumerate(spec.ingress):
        yield _SPEC.child("ingress").item(index).child("from"), incoming.from_
    for index, outgoing in enumerate(spec.egress):
        yield _SPEC.child("egress").item(index).child("to"), outgoing.to


def _validate_spec(spec: NetworkPolicySpec, tolerated: _Tolerated) -> list[FieldError]:
    errors = _validate_selector(spec.podSelector, tolerated, _POD_SELECTOR)
    for index, incoming in enumerate(spec.ingress):
        path = _SPEC.child("ingress").item(index)
        errors += _validate_rule(incoming.ports, incoming.from_, tolerated, (path.child("ports"), path.child("from")))
    for index, outgoing in enumerate(spec.egress):
        path = _SPEC.child("egress").item(index)
        errors += _validate_rule(outgoing.ports, outgoing.to, tolerated, (path.child("ports"), path.child("to")))
    return errors + _validate_types(spec.policyTypes, _SPEC.child("policyTypes"))


def _validate_selector(selector: LabelSelector, tolerated: _Tolerated, path: FieldPath) -> list[FieldError]:
    return validate_label_selector(selector, path, any_values=tolerated.label_values)


def _validate_rule(
    ports: Sequence[NetworkPolicyPort],
    peers: Sequence[NetworkPolicyPeer],
    tolerated: _Tolerated,
    paths: tuple[FieldPath, FieldPath],
) -> list[FieldError]:
    ports_path, peers_path = paths
    errors: list[FieldError] = []
    for index, port in enumerate(ports):
        errors += _validate_port(port, ports_path.item(index))
    for index, peer in enumerate(peers):
        errors += _validate_peer(peer, tolerated, peers_path.item(index))
    return errors


def _validate_types(types: Sequence[str], path: FieldPath) -> list[FieldError]:
    if len(types) > len(_POLICY_TYPES):
        return [invalid(path, list(types), "may not specify more than two policyTypes")]
    return [
        not_supported(path.item(index), name, _POLICY_TYPES)
        for index, name in enumerate(types)
        if name not in _POLICY_TYPES
    ]


def _validate_port(item: NetworkPolicyPort, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if item.protocol is not None and item.protocol not in _PROTOCOLS:
        errors.append(not_supported(path.child("protocol"), item.protocol, _PROTOCOLS))
    port, end = item.port, item.endPort
    port_path, end_path = path.child("port"), path.child("endPort")
    if isinstance(port, int):
        errors += [invalid(port_path, port, message) for message in is_port_number(port)]
        if end is not None:
            if end < port:
                # As in kube-apiserver, the error about endPort shows the first port of the range as its value.
                errors.append(invalid(end_path, port, "must be greater than or equal to `port`"))
            errors += [invalid(end_path, end, message) for message in is_port_number(end)]
    elif port is not None:
        if end is not None:
            errors.append(invalid(end_path, end, "may not be specified when `port` is non-numeric"))
        errors += [invalid(port_path, port, message) for message in is_port_name(port)]
    elif end is not None:
        errors.append(invalid(end_path, end, "may not be specified when `port` is not specified"))
    return errors


def _validate_peer(peer: NetworkPolicyPeer, tolerated: _Tolerated, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if peer.podSelector is not None:
        errors += _validate_selector(peer.podSelector, tolerated, path.child("podSelector"))
    if peer.namespaceSelector is not None:
        errors += _validate_selector(peer.namespaceSelector, tolerated, path.child("namespaceSelector"))
    selects = peer.podSelector is not None or peer.namespaceSelector is not None
    if peer.ipBlock is not None:
        errors += _validate_ip_block(peer.ipBlock, tolerated, path.child("ipBlock"))
        if selects:
            errors.append(forbidden(path, "may not specify both ipBlock and another peer"))
    elif not selects:
        errors.append(required(path, "must specify a peer"))
    return errors


def _validate_ip_block(block: IPBlock, tolerated: _Tolerated, path: FieldPath) -> list[FieldError]:
    if not block.cidr:
        return [required(path.child("cidr"))]
    errors = validate_cidr(path.child("cidr"), block.cidr, tolerated.blocks)
    whole = parse_cidr(block.cidr)
    if whole is None:
        return errors
    for index, text in enumerate(block.except_):
        item = path.child("except").item(index)
        errors += validate_cidr(item, text, tolerated.blocks)
        part = parse_cidr(text)
        if part is not None and not _is_strict_part(part, whole):
            errors.append(invalid(item, text, "must be a strict subset of `cidr`"))
    return errors


def _is_strict_part(part: CidrBlock, whole: CidrBlock) -> bool:
    return whole.contains(part.first) and whole.length < part.length
