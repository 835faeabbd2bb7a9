"""Rules for names and addresses that a pod knows."""

from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.ip_addresses import validate_address
from memkube.apimachinery.names import is_dns1123_subdomain_with_underscore
from memkube.apis.core.v1.podspec.types.dns import PodDNSConfig
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.name_rules import validate_subdomain

_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_NAMESERVERS_LIMIT: Final = 3
_SEARCHES_LIMIT: Final = 32
_SEARCH_LENGTH_LIMIT: Final = 2048
_HOSTNAME_LIMIT: Final = 64


def validate_dns_policy(policy: str, path: FieldPath) -> list[FieldError]:
    """The policy is a known one."""
    if policy in _POLICIES:
        return []
    return [not_supported(path, policy, _POLICIES) if policy else required(path)]


def validate_dns_config(config: PodDNSConfig | None, policy: str, path: FieldPath) -> list[FieldError]:
    """The resolver can work with the configuration; without a policy it needs a name server."""
    if policy == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.nameservers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [required(path.child("nameservers"), detail)]
    if config is None:
        return []
    errors = _validate_nameservers(config, path.child("nameservers"))
    errors += _validate_searches(config, path.child("searches"))
    for index, option in enumerate(config.options):
        if not option.name:
            errors.append(required(path.child("options").item(index), "must not be empty"))
    return errors


def validate_host_aliases(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Aliases are domain names of addresses."""
    errors: list[FieldError] = []
    for index, alias in enumerate(spec.hostAliases):
        errors += validate_address(path.item(index).child("ip"), alias.ip)
        for number, hostname in enumerate(alias.hostnames):
            errors += validate_subdomain(hostname, path.item(index).child("hostnames").item(number))
    return errors


def validate_hostname_override(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """The name is a domain name, and nothing else decides the pod's name."""
    name = spec.hostnameOverride
    if name is None:
        return []
    path = path.child("hostnameOverride")
    errors: list[FieldError] = []
    if spec.setHostnameAsFQDN:
        errors.append(forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.hostNetwork:
        errors.append(forbidden(path, "may not be specified when hostNetwork is true"))
    if len(name.encode()) > _HOSTNAME_LIMIT:
        errors.append(too_long(path, _HOSTNAME_LIMIT))
    return errors + validate_subdomain(name, path)


def _validate_nameservers(config: PodDNSConfig, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(config.nameservers) > _NAMESERVERS_LIMIT:
        detail = f"must not have more than {_NAMESERVERS_LIMIT} nameservers"
        errors.append(invalid(path, config.nameservers, detail))
    for index, server in enumerate(config.nameservers):
        errors += validate_address(path.item(index), server)
    return errors


def _validate_searches(config: PodDNSConfig, path: FieldPath) -> list[FieldError]:
    searches = config.searches
    errors: list[FieldError] = []
    if len(searches) > _SEARCHES_LIMIT:
        errors.append(invalid(path, searches, f"must not have more than {_SEARCHES_LIMIT} search paths"))
    if len(" ".join(searches).encode()) > _SEARCH_LENGTH_LIMIT:
        detail = f"must not have more than {_SEARCH_LENGTH_LIMIT} characters (including spaces) in the search list"
        errors.append(invalid(path, searches, detail))
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            messages = is_dns1123_subdomain_with_underscore(domain)
            errors += [invalid(path.item(index), domain, message) for message in messages]
    return errors
