"""Rules for writing IngressClasses: controller and parameters (``pkg/apis/networking/validation``)."""

import re
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported_string,
    required,
    too_long,
)
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import (
    is_dns1123_subdomain,
    is_path_segment_name,
    label_name,
    regex_error,
    subdomain_name,
)
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.networking.v1.ingressclasses.types import IngressClass, IngressClassParametersReference
from memkube.registry.declarations.strategy import Strategy

_CONTROLLER: Final = FieldPath("spec").child("controller")
_PARAMETERS: Final = FieldPath("spec").child("parameters")
_CONTROLLER_LIMIT: Final = 250
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_SCOPES: Final = ("Cluster", "Namespace")


def validate_ingress_class(ingress_class: IngressClass) -> list[FieldError]:
    """Validate an IngressClass: it has a controller, and the reference to its parameters is complete."""
    spec = ingress_class.spec
    errors = validate_metadata(ingress_class.metadata, subdomain_name, namespaced=False)
    if len(spec.controller.encode()) > _CONTROLLER_LIMIT:
        errors.append(too_long(_CONTROLLER, _CONTROLLER_LIMIT))
    errors += validate_domain_prefixed_path(spec.controller, _CONTROLLER)
    return errors if spec.parameters is None else errors + _validate_parameters(spec.parameters)


def validate_ingress_class_update(new: IngressClass, old: IngressClass) -> list[FieldError]:
    """Validate an update of an IngressClass by the rules for new IngressClasses; the controller is immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_immutable(new.spec.controller, old.spec.controller, _CONTROLLER)
    return errors + validate_ingress_class(new)


def validate_domain_prefixed_path(value: str, path: FieldPath) -> list[FieldError]:
    """Validate that the text is a domain, a slash and a path, such as ``acme.io/foo``."""
    if not value:
        return [required(path)]
    host, _, rest = value.partition("/")
    if not host or not rest:
        return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = [invalid(path, host, message) for message in is_dns1123_subdomain(host)]
    if re.fullmatch(_HTTP_PATH, rest) is None:
        errors.append(invalid(path, rest, regex_error("Invalid path", _HTTP_PATH)))
    return errors


def _validate_parameters(reference: IngressClassParametersReference) -> list[FieldError]:
    group = reference.apiGroup
    errors: list[FieldError] = []
    if group is not None:
        errors += [invalid(_PARAMETERS.child("apiGroup"), group, message) for message in is_dns1123_subdomain(group)]
    for field, value in (("kind", reference.kind), ("name", reference.name)):
        if value:
            errors += [invalid(_PARAMETERS.child(field), value, message) for message in is_path_segment_name(value)]
        else:
            errors.append(required(_PARAMETERS.child(field)))
    return errors + _validate_scope(reference.scope, reference.namespace)


def _validate_scope(scope: str | None, namespace: str | None) -> list[FieldError]:
    path = _PARAMETERS.child("namespace")
    if scope is None:
        return [required(_PARAMETERS.child("scope"))]
    if scope not in _SCOPES:
        return [not_supported_string(_PARAMETERS.child("scope"), scope, _SCOPES)]
    if scope == "Cluster":
        return [] if namespace is None else [forbidden(path, "`parameters.scope` is set to 'Cluster'")]
    if namespace is None:
        return [required(path, "`parameters.scope` is set to 'Namespace'")]
    return [invalid(path, namespace, message) for message in label_name(namespace)]


class IngressClassStrategy(Strategy[IngressClass]):
    """Defaults and validation of IngressClasses; a change of the spec increments the generation.

    Source: ``pkg/registry/networking/ingressclass/strategy.go``.
    """

    validate = staticmethod(validate_ingress_class)
    validate_update = staticmethod(validate_ingress_class_update)

    def default(self, obj: IngressClass) -> None:
        """Set the scope of the parameters of an IngressClass to Cluster if it is unset."""
        if obj.spec.parameters is not None and obj.spec.parameters.scope is None:
            obj.spec.parameters.scope = "Cluster"

    def prepare_for_create(self, obj: IngressClass, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def prepare_for_update(self, new: IngressClass, old: IngressClass) -> None:
        """Increment the generation of an IngressClass if its spec changed."""
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1
