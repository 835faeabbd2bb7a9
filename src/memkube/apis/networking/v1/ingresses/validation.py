"""Validation of Ingresses: hosts, TLS, paths, backends and status (``pkg/apis/networking/validation``)."""

import re
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.ip_addresses import parse_ip, validate_ip
from memkube.apimachinery.names import (
    SUBDOMAIN_MAX_LENGTH,
    NameRule,
    is_dns1123_subdomain,
    is_path_segment_name,
    is_port_name,
    is_port_number,
    label_1035_name,
    label_name,
    length_error,
    regex_error,
    subdomain_name,
)
from memkube.apimachinery.shown_values import given
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.references import TypedLocalObjectReference
from memkube.apis.networking.v1.ingresses.types import (
    HTTPIngressPath,
    HTTPIngressRuleValue,
    Ingress,
    IngressBackend,
    IngressLoadBalancerStatus,
    IngressServiceBackend,
    IngressSpec,
    IngressTLS,
)

CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_SPEC: Final = FieldPath("spec")
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_FORBIDDEN_IN_PATH: Final = ("//", "/./", "/../", "%2f", "%2F")
_FORBIDDEN_AT_END: Final = ("/..", "/.")
_WILDCARD: Final = r"\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NOT_A_NAME: Final = "must be a DNS name, not an IP address"


@dataclass(frozen=True, slots=True)
class _Tolerated:
    """Rules that an updated Ingress may break, because the stored Ingress breaks them already."""

    secret_names: bool = False
    wildcard_rules: bool = False


def validate_ingress(ingress: Ingress) -> list[FieldError]:
    """Validate a new Ingress.

    If both its class name and its class annotation are set, they must be equal.
    """
    errors = _validate(ingress, _Tolerated())
    name, annotated = ingress.spec.ingressClassName, ingress.metadata.annotations.get(CLASS_ANNOTATION)
    if name is not None and annotated is not None and name != annotated:
        path = FieldPath("annotations").child(CLASS_ANNOTATION)
        errors.append(invalid(path, annotated, "must match `ingressClassName` when both are specified"))
    return errors


def validate_ingress_update(new: Ingress, old: Ingress) -> list[FieldError]:
    """Validate an update of an Ingress.

    In contrast to a new Ingress, class name and class annotation may differ, and the update may break some rules that
    the old Ingress breaks.
    """
    errors = validate_metadata_update(new.metadata, old.metadata)
    # As in kube-apiserver, the stored Ingress is checked with the older, stricter rule for service names. If it breaks
    # that rule, the update may also break the rules for paths of wildcard hosts.
    wrong = (_validate_http(r.http, FieldPath(), label_1035_name) for r in old.spec.rules if "*" in r.host)
    tolerated = _Tolerated(
        secret_names=any(_secret_name_errors(tls.secretName) for tls in old.spec.tls), wildcard_rules=any(wrong)
    )
    return errors + _validate(new, tolerated)


def validate_ingress_status_update(new: Ingress, old: Ingress) -> list[FieldError]:
    """Validate an update of an Ingress's status: valid IP addresses and DNS names.

    Addresses that the update does not change are not checked.
    """
    errors = validate_metadata_update(new.metadata, old.metadata)
    path = FieldPath("status").child("loadBalancer")
    return errors + _validate_load_balancer(new.status.loadBalancer, old.status.loadBalancer, path)


def is_wildcard_subdomain(value: str) -> list[str]:
    """Return errors if a text is not a wildcard DNS subdomain, such as ``*.example.com`` (RFC 1034)."""
    errors = [length_error(SUBDOMAIN_MAX_LENGTH)] if len(value.encode()) > SUBDOMAIN_MAX_LENGTH else []
    if re.fullmatch(_WILDCARD, value) is None:
        prose = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist "
            "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
        )
        errors.append(regex_error(prose, _WILDCARD, "*.example.com"))
    return errors


def _validate(ingress: Ingress, tolerated: _Tolerated) -> list[FieldError]:
    return validate_metadata(ingress.metadata, subdomain_name, namespaced=True) + _validate_spec(
        ingress.spec, tolerated
    )


def _validate_spec(spec: IngressSpec, tolerated: _Tolerated) -> list[FieldError]:
    errors: list[FieldError] = []
    if not spec.rules and spec.defaultBackend is None:
        why = "either `defaultBackend` or `rules` must be specified"
        errors.append(invalid(_SPEC, given(spec, "rules"), why))
    if spec.defaultBackend is not None:
        errors += _validate_backend(spec.defaultBackend, _SPEC.child("defaultBackend"))
    for index, rule in enumerate(spec.rules):
        path = _SPEC.child("rules").item(index)
        if rule.host:
            errors += _validate_rule_host(rule.host, path.child("host"))
        if not ("*" in rule.host and tolerated.wildcard_rules):
            errors += _validate_http(rule.http, path)
    for index, tls in enumerate(spec.tls):
        errors += _validate_tls(tls, tolerated, _SPEC.child("tls").item(index))
    name = spec.ingressClassName
    if name is not None:
        errors += [invalid(_SPEC.child("ingressClassName"), name, message) for message in subdomain_name(name)]
    return errors


def _validate_tls(tls: IngressTLS, tolerated: _Tolerated, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, host in enumerate(tls.hosts):
        errors += _validate_host(host, path.child("hosts").item(index))
    if not tolerated.secret_names:
        name = tls.secretName
        errors += [invalid(path.child("secretName"), name, message) for message in _secret_name_errors(name)]
    return errors


def _secret_name_errors(name: str) -> list[str]:
    return subdomain_name(name) if name else []


def _validate_rule_host(host: str, path: FieldPath) -> list[FieldError]:
    errors = [invalid(path, host, _NOT_A_NAME)] if parse_ip(host) is not None else []
    return errors + _validate_host(host, path)


def _validate_host(host: str, path: FieldPath) -> list[FieldError]:
    rule = is_wildcard_subdomain if "*" in host else is_dns1123_subdomain
    return [invalid(path, host, message) for message in rule(host)]


def _validate_http(
    http: HTTPIngressRuleValue | None, rule_path: FieldPath, service_name: NameRule = label_name
) -> list[FieldError]:
    if http is None:
        return []
    path = rule_path.child("http").child("paths")
    errors = [] if http.paths else [required(path)]
    for index, item in enumerate(http.paths):
        errors += _validate_path(item, path.item(index), service_name)
    return errors


def _validate_path(item: HTTPIngressPath, path: FieldPath, service_name: NameRule) -> list[FieldError]:
    if item.pathType is None:
        return [required(path.child("pathType"), "pathType must be specified")]
    errors: list[FieldError] = []
    text, text_path = item.path, path.child("path")
    if item.pathType not in _PATH_TYPES:
        errors.append(not_supported(path.child("pathType"), item.pathType, _PATH_TYPES))
    elif item.pathType == "ImplementationSpecific":
        if text and not text.startswith("/"):
            errors.append(invalid(text_path, text, "must be an absolute path"))
    else:
        if not text.startswith("/"):
            errors.append(invalid(text_path, text, "must be an absolute path"))
        errors += [invalid(text_path, text, f"must not contain '{s}'") for s in _FORBIDDEN_IN_PATH if s in text]
        errors += [invalid(text_path, text, f"cannot end with '{s}'") for s in _FORBIDDEN_AT_END if text.endswith(s)]
    return errors + _validate_backend(item.backend, path.child("backend"), service_name)


def _validate_backend(
    backend: IngressBackend, path: FieldPath, service_name: NameRule = label_name
) -> list[FieldError]:
    if backend.resource is not None and backend.service is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if backend.resource is not None:
        return _validate_resource(backend.resource, path.child("resource"))
    if backend.service is not None:
        return _validate_service(backend.service, path, service_name)
    return [invalid(path, "", "resource or service backend is required")]


def _validate_service(
    service: IngressServiceBackend, backend_path: FieldPath, service_name: NameRule
) -> list[FieldError]:
    path = backend_path.child("service")
    name_path, port_path = path.child("name"), path.child("port")
    if service.name:
        errors = [invalid(name_path, service.name, message) for message in service_name(service.name, False)]
    else:
        errors = [required(name_path)]
    name, number = service.port.name, service.port.number
    if name and number:
        errors.append(invalid(backend_path, "", "cannot set both port name & port number"))
    elif name:
        errors += [invalid(port_path.child("name"), name, message) for message in is_port_name(name)]
    elif number:
        errors += [invalid(port_path.child("number"), number, message) for message in is_port_number(number)]
    else:
        errors.append(required(backend_path, "port name or number is required"))
    return errors


def _validate_resource(reference: TypedLocalObjectReference, path: FieldPath) -> list[FieldError]:
    group = reference.apiGroup
    errors: list[FieldError] = []
    if group is not None:
        errors += [invalid(path.child("apiGroup"), group, message) for message in is_dns1123_subdomain(group)]
    for field, value in (("kind", reference.kind), ("name", reference.name)):
        if value:
            errors += [invalid(path.child(field), value, message) for message in is_path_segment_name(value)]
        else:
            errors.append(required(path.child(field)))
    return errors


def _validate_load_balancer(
    new: IngressLoadBalancerStatus, old: IngressLoadBalancerStatus, path: FieldPath
) -> list[FieldError]:
    errors: list[FieldError] = []
    kept = {point.ip for point in old.ingress if point.ip}
    for index, point in enumerate(new.ingress):
        item = path.child("ingress").item(index)
        if point.ip:
            errors += validate_ip(item.child("ip"), point.ip, kept)
        if point.hostname:
            errors += _validate_hostname(point.hostname, item.child("hostname"))
    return errors


def _validate_hostname(name: str, path: FieldPath) -> list[FieldError]:
    errors = [invalid(path, name, message) for message in is_dns1123_subdomain(name)]
    return [*errors, invalid(path, name, _NOT_A_NAME)] if parse_ip(name) is not None else errors
