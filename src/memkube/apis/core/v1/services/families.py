"""Validation and defaulting of cluster IPs and IP families, on a single-stack cluster.

Sources: ``ValidateServiceClusterIPsRelatedFields`` and its neighbours in ``pkg/apis/core/validation``, and
``initIPFamilyFields`` in ``pkg/registry/core/service/storage/alloc.go``.
"""

from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    internal_error,
    invalid,
    invalid_typed,
    not_supported,
)
from memkube.apimachinery.field_errors import required as missing
from memkube.apimachinery.ip_addresses import are_dual_stack, parse_unmapped_ip, validate_ip
from memkube.apimachinery.shown_values import TypedString, given
from memkube.apis.core.v1.services.cluster_addresses import FAMILY
from memkube.apis.core.v1.services.types import Service, ServiceSpec

HEADLESS: Final = "None"
EXTERNAL_NAME: Final = "ExternalName"
_SPEC: Final = FieldPath("spec")
_ADDRESSES: Final = _SPEC.child("clusterIPs")
_FAMILIES: Final = _SPEC.child("ipFamilies")
_POLICY: Final = _SPEC.child("ipFamilyPolicy")
_SUPPORTED: Final = ("IPv4", "IPv6")
_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
_BOTH: Final = 2
_FIXED: Final = "may not change once set"


def is_headless(service: Service) -> bool:
    """True if the service is headless: its cluster IP is ``None``."""
    return service.spec.clusterIPs == [HEADLESS]


def needs_cluster_ip(service: Service) -> bool:
    """True if services of this type use the field clusterIP. All types except ExternalName do."""
    return service.spec.type != EXTERNAL_NAME


def family_of(text: str) -> str:
    """Return the IP family of an IP address, ``IPv4`` or ``IPv6``; ``IPv4`` if the text is no IP address."""
    address = parse_unmapped_ip(text)
    return "IPv6" if address is not None and address.version == 6 else "IPv4"


def validate_addresses(new: Service, old: Service | None) -> list[FieldError]:
    """Validate the cluster IPs, IP families and IP family policy of `new`; `old` is the Service before an update."""
    spec = new.spec
    if not needs_cluster_ip(new):
        return []
    errors = _validate_first(spec)
    for index, family in enumerate(spec.ipFamilies):
        if family not in _SUPPORTED:
            errors.append(not_supported(_FAMILIES.item(index), family, _SUPPORTED))
        if family in spec.ipFamilies[:index]:
            errors.append(duplicate(_FAMILIES.item(index), TypedString(family)))
    if spec.ipFamilyPolicy is not None and spec.ipFamilyPolicy not in _POLICIES:
        errors.append(not_supported(_POLICY, spec.ipFamilyPolicy, _POLICIES))
    wrong = _validate_each(spec, old.spec.clusterIPs if old else [])
    errors += wrong
    if len(spec.clusterIPs) > _BOTH:
        errors.append(invalid(_ADDRESSES, list(spec.clusterIPs), "may only hold up to 2 values"))
    return errors if wrong else errors + _validate_families(new)


def _validate_first(spec: ServiceSpec) -> list[FieldError]:
    """Return an error unless clusterIP equals the first item of clusterIPs, or both are empty."""
    if spec.clusterIP:
        if not spec.clusterIPs:
            return [missing(_ADDRESSES)]
        if spec.clusterIPs[0] != spec.clusterIP:
            return [invalid(_ADDRESSES, list(spec.clusterIPs), "first value must match `clusterIP`")]
    elif spec.clusterIPs:
        return [invalid(_ADDRESSES, list(spec.clusterIPs), "must be empty when `clusterIP` is not specified")]
    return []


def _validate_each(spec: ServiceSpec, kept: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, text in enumerate(spec.clusterIPs):
        if index == 0 and text == HEADLESS:
            if len(spec.clusterIPs) > 1:
                errors.append(invalid(_ADDRESSES, list(spec.clusterIPs), "'None' must be the first and only value"))
        else:
            errors += validate_ip(_ADDRESSES.item(index), text, kept)
    return errors


def _validate_families(service: Service) -> list[FieldError]:
    spec = service.spec
    errors: list[FieldError] = []
    if len(spec.clusterIPs) > 1:
        both = False
        try:
            both = are_dual_stack(spec.clusterIPs)
        except ValueError as error:
            errors.append(internal_error(_ADDRESSES, f"failed to check for dual stack with error:{error}"))
        if not both:
            detail = "may specify no more than one IP for each IP family"
            errors.append(invalid(_ADDRESSES, list(spec.clusterIPs), detail))
    if is_headless(service):
        return errors
    for index, (text, family) in enumerate(zip(spec.clusterIPs, spec.ipFamilies, strict=False)):
        if family in _SUPPORTED and family_of(text) != family:
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(invalid(_ADDRESSES.item(index), text, detail))
    return errors


def validate_address_changes(new: Service, old: Service) -> list[FieldError]:
    """Validate changes of a service's cluster IPs and IP families.

    Only the secondary cluster IP and IP family may be added or removed. Services of type ExternalName are not checked.
    """
    if not (needs_cluster_ip(new) and needs_cluster_ip(old)):
        return []
    errors: list[FieldError] = []
    if not (is_headless(new) and is_headless(old)):
        errors += _validate_kept_addresses(new.spec, old.spec)
    if not (is_headless(new) or is_headless(old)):
        errors += _validate_kept_families(new.spec, old.spec)
    return errors


def _validate_kept_addresses(new: ServiceSpec, old: ServiceSpec) -> list[FieldError]:
    after, before = new.clusterIPs, old.clusterIPs
    shown = given(new, "clusterIPs")
    if len(after) == len(before):
        changed = [index for index, text in enumerate(before) if text != after[index]]
        return [invalid(_ADDRESSES.item(index), shown, _FIXED) for index in changed]
    errors: list[FieldError] = []
    if not after:
        errors.append(invalid(_ADDRESSES.item(0), shown, "primary clusterIP can not be unset"))
    if after and before and after[0] != before[0]:
        errors.append(invalid(_ADDRESSES.item(0), shown, _FIXED))
    if len(before) > len(after) == 1 and new.ipFamilyPolicy != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        errors.append(invalid_typed(_POLICY, new.ipFamilyPolicy, detail))
    return errors


def _validate_kept_families(new: ServiceSpec, old: ServiceSpec) -> list[FieldError]:
    after, before = new.ipFamilies, old.ipFamilies
    first = _FAMILIES.item(0)
    if len(after) == len(before):
        changes = sum(a != b for a, b in zip(after, before, strict=True))
        return [invalid(first, given(new, "ipFamilies"), _FIXED)] * changes
    errors: list[FieldError] = []
    if len(before) > len(after) and not new.clusterIPs:
        errors.append(invalid(first, given(new, "ipFamilies"), "primary ipFamily can not be unset"))
    if after and before and after[0] != before[0]:
        errors.append(invalid(first, given(new, "clusterIPs"), _FIXED))
    if len(before) > len(after) == 1 and new.ipFamilyPolicy != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        errors.append(invalid_typed(_POLICY, new.ipFamilyPolicy, detail))
    return errors


def infer_families(new: Service, old: Service | None) -> list[FieldError]:
    """Set ipFamilyPolicy and ipFamilies of a service from its other fields.

    Returns errors if the fields contradict each other.
    """
    spec = new.spec
    if not needs_cluster_ip(new) or (old is not None and _keeps_dual_stack_preference(new, old)):
        return []
    if spec.ipFamilyPolicy is None:
        spec.ipFamilyPolicy = _policy(spec, old)
    errors = validate_addresses(new, old)
    if errors:
        return errors
    errors = _drop_secondary_family(spec, old.spec) if old is not None else []
    errors += _validate_single(spec)
    errors += _infer_from_addresses(spec)
    if errors:
        return errors
    if spec.clusterIP == HEADLESS and not spec.selector:
        _complete_unselected(spec)
        return []
    errors = _validate_available_families(spec)
    if not (errors or spec.ipFamilies):
        spec.ipFamilies = [FAMILY]
    return errors


def _keeps_dual_stack_preference(new: Service, old: Service) -> bool:
    """True if an update leaves cluster IPs and families of a service with the policy PreferDualStack unchanged."""
    before, after = old.spec, new.spec
    return (
        after.type == before.type
        and after.type in ("ClusterIP", "NodePort", "LoadBalancer")
        and after.ipFamilyPolicy == "PreferDualStack"
        and before.ipFamilyPolicy in (None, "PreferDualStack")
        and (after.clusterIPs, after.ipFamilies) == (before.clusterIPs, before.ipFamilies)
    )


def _policy(spec: ServiceSpec, old: Service | None) -> str:
    if old is not None and old.spec.ipFamilyPolicy is not None:
        return old.spec.ipFamilyPolicy
    return "RequireDualStack" if spec.clusterIP == HEADLESS and not spec.selector else "SingleStack"


def _drop_secondary_family(new: ServiceSpec, old: ServiceSpec) -> list[FieldError]:
    """Remove the secondary cluster IP and IP family of a service whose policy changed to SingleStack.

    Returns errors if the client removed the secondary IP or family, but did not change the policy.
    """
    if new.ipFamilyPolicy == "SingleStack":
        if len(new.clusterIPs) > 1 and new.clusterIPs == old.clusterIPs:
            new.clusterIPs = new.clusterIPs[:1]
        if len(new.ipFamilies) > 1 and new.ipFamilies == old.ipFamilies:
            new.ipFamilies = new.ipFamilies[:1]
        return []
    errors: list[FieldError] = []
    if 0 < len(new.clusterIPs) < len(old.clusterIPs):
        detail = "must be 'SingleStack' to release the secondary cluster IP"
        errors.append(invalid_typed(_POLICY, new.ipFamilyPolicy, detail))
    if 0 < len(new.ipFamilies) < len(old.ipFamilies):
        detail = "must be 'SingleStack' to release the secondary IP family"
        errors.append(invalid_typed(_POLICY, new.ipFamilyPolicy, detail))
    return errors


def _validate_single(spec: ServiceSpec) -> list[FieldError]:
    if spec.ipFamilyPolicy != "SingleStack":
        return []
    both: tuple[tuple[list[Any], str], ...] = ((spec.clusterIPs, "cluster IPs"), (spec.ipFamilies, "IP families"))
    detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified"
    return [invalid(_POLICY, spec.ipFamilyPolicy, detail.format(what)) for have, what in both if len(have) == _BOTH]


def _infer_from_addresses(spec: ServiceSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, text in enumerate(spec.clusterIPs):
        if text == HEADLESS:
            break
        if index < len(spec.ipFamilies):
            continue
        if family_of(text) == FAMILY:
            spec.ipFamilies = [*spec.ipFamilies, FAMILY]
        else:
            detail = f"{family_of(text)} is not configured on this cluster"
            errors.append(invalid(_ADDRESSES.item(index), list(spec.clusterIPs), detail))
    return errors


def _complete_unselected(spec: ServiceSpec) -> None:
    """Set the IP families of a headless service without selector.

    Such a service gets both families, because its endpoints may be of any family.
    """
    spec.ipFamilies = spec.ipFamilies or [FAMILY]
    if len(spec.ipFamilies) < _BOTH and spec.ipFamilyPolicy != "SingleStack":
        spec.ipFamilies = [*spec.ipFamilies, "IPv6" if spec.ipFamilies[0] == "IPv4" else "IPv4"]


def _validate_available_families(spec: ServiceSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.ipFamilyPolicy == "RequireDualStack":
        errors.append(invalid(_POLICY, spec.ipFamilyPolicy, "this cluster is not configured for dual-stack services"))
    for index, family in enumerate(spec.ipFamilies):
        if family != FAMILY:
            errors.append(invalid(_FAMILIES.item(index), family, "not configured on this cluster"))
    return errors
