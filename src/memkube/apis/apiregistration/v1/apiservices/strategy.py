"""Rules for writing APIServices: name, service, CA bundle, priorities and the conditions of the status.

Source: kube-aggregator's ``apiregistration/validation``.
"""

from typing import ClassVar, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.names import is_dns1035_label, is_dns1123_subdomain, is_path_segment_name, is_port_number
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.apiregistration.v1.apiservices.local_services import local_condition
from memkube.apis.apiregistration.v1.apiservices.types import (
    APIService,
    APIServiceCondition,
    APIServiceSpec,
    APIServiceStatus,
    ServiceReference,
)
from memkube.registry.declarations.strategy import FieldPaths, Strategy

_SPEC: Final = FieldPath("spec")
_CONDITIONS: Final = FieldPath("status").child("conditions")
_STATUSES: Final = ("True", "False", "Unknown")
_HIGHEST_GROUP: Final = 20_000
_HIGHEST_VERSION: Final = 1_000
_DEFAULT_PORT: Final = 443


def validate_api_service(api_service: APIService) -> list[FieldError]:
    """Validate an APIService (``ValidateAPIService``).

    Its name must be VERSION.GROUP, and its priorities must be in range. TLS settings are allowed only if the APIService
    names a service.
    """
    spec = api_service.spec
    required_name = f"{spec.version}.{spec.group}"

    def name_rule(name: str, is_prefix: bool) -> list[str]:
        must = f'must be `spec.version+"."+spec.group`: {quoted(required_name)}'
        return is_path_segment_name(name) or ([] if name == required_name else [must])

    errors = validate_object_meta(api_service.metadata, name_rule, namespaced=False)
    if not spec.group and spec.version != "v1":
        why = "only v1 may have an empty group and it better be legacy kube"
        errors.append(required(_SPEC.child("group"), why))
    if spec.group:
        errors += [invalid(_SPEC.child("group"), spec.group, message) for message in is_dns1123_subdomain(spec.group)]
    errors += [invalid(_SPEC.child("version"), spec.version, message) for message in is_dns1035_label(spec.version)]
    errors += _validate_priority(spec.groupPriorityMinimum, _HIGHEST_GROUP, _SPEC.child("groupPriorityMinimum"))
    errors += _validate_priority(spec.versionPriority, _HIGHEST_VERSION, _SPEC.child("versionPriority"))
    return errors + (_validate_local(spec) if spec.service is None else _validate_remote(spec, spec.service))


def validate_api_service_update(new: APIService, old: APIService) -> list[FieldError]:
    """Validate an update of an APIService by the rules for new APIServices."""
    return validate_object_meta_update(new.metadata, old.metadata) + validate_api_service(new)


def validate_api_service_status_update(new: APIService, old: APIService) -> list[FieldError]:
    """Validate an update of an APIService's status: each condition has the status True, False or Unknown."""
    return validate_object_meta_update(new.metadata, old.metadata) + [
        not_supported(_CONDITIONS.item(index).child("status"), condition.status, _STATUSES)
        for index, condition in enumerate(new.status.conditions)
        if condition.status not in _STATUSES
    ]


def _validate_priority(value: int, highest: int, path: FieldPath) -> list[FieldError]:
    return [] if 0 < value <= highest else [invalid(path, value, f"must be positive and less than {highest}")]


def _validate_local(spec: APIServiceSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.caBundle:
        size = f"{len(decode_base64(spec.caBundle))} bytes"
        errors.append(invalid(_SPEC.child("caBundle"), size, "local APIServices may not have a caBundle"))
    if spec.insecureSkipTLSVerify:
        why = "local APIServices may not have insecureSkipTLSVerify"
        errors.append(invalid(_SPEC.child("insecureSkipTLSVerify"), True, why))
    return errors


def _validate_remote(spec: APIServiceSpec, service: ServiceReference) -> list[FieldError]:
    path = _SPEC.child("service")
    errors = [required(path.child(name)) for name in ("namespace", "name") if not getattr(service, name)]
    port = service.port or 0
    if messages := is_port_number(port):
        errors.append(invalid(path.child("port"), port, f"port is not valid: {', '.join(messages)}"))
    if spec.insecureSkipTLSVerify and spec.caBundle:
        why = "may not be true if caBundle is present"
        errors.append(invalid(_SPEC.child("insecureSkipTLSVerify"), True, why))
    return errors


class APIServiceStrategy(Strategy[APIService]):
    """Defaults and validation of APIServices, and the condition Available of the APIs that memkube itself serves.

    Source: kube-aggregator's ``pkg/registry/apiservice/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    validate = staticmethod(validate_api_service)
    validate_update = staticmethod(validate_api_service_update)

    def default(self, obj: APIService) -> None:
        """Set the port of the extension server's service to 443 if it is unset."""
        if obj.spec.service is not None and obj.spec.service.port is None:
            obj.spec.service.port = _DEFAULT_PORT

    def prepare_for_create(self, obj: APIService, now: Time) -> list[str]:
        """Clear the status of a new APIService; if memkube itself serves its API group, mark it as available."""
        obj.status = APIServiceStatus()
        if obj.spec.service is None:
            obj.status.conditions = [APIServiceCondition.from_document(local_condition(now))]
        return []

    def prepare_for_update(self, new: APIService, old: APIService) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status


class APIServiceStatusStrategy(APIServiceStrategy):
    """Strategy for writing the ``status`` subresource of APIServices, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",), ("metadata",))

    validate_update = staticmethod(validate_api_service_status_update)

    def prepare_for_update(self, new: APIService, old: APIService) -> None:
        """Discard an update's changes to spec and metadata: the ``status`` subresource writes only the status."""
        new.spec = old.spec
        for name in ("labels", "annotations", "finalizers", "ownerReferences"):
            setattr(new.metadata, name, getattr(old.metadata, name))
