"""Validation of CertificateSigningRequests: PEM request, signer name, usages, conditions and certificate.

Source: ``pkg/apis/certificates/validation``.

kube-apiserver's exceptions for objects of removed API versions are omitted, since memkube has no such objects.
"""

from collections.abc import Callable, Sequence
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from memkube.apimachinery.shown_values import TypedString, quoted
from memkube.apis.certificates.v1.certificatesigningrequests.types import (
    USAGES,
    CertificateSigningRequest,
    CertificateSigningRequestCondition,
    CertificateSigningRequestSpec,
)
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.registry.declarations.lazy import Lazy

APPROVED: Final = "Approved"
DENIED: Final = "Denied"
_FAILED: Final = "Failed"
_DECISIONS: Final = (APPROVED, DENIED, _FAILED)
_STATUSES: Final = ("False", "True", "Unknown")
_SPEC: Final = FieldPath("spec")
_CONDITIONS: Final = FieldPath("status").child("conditions")
_CERTIFICATE: Final = FieldPath("status").child("certificate")
_LEGACY: Final = "kubernetes.io/legacy-unknown"
_SHORTEST_SECONDS: Final = 600
_LONGEST_DOMAIN: Final = 253
_LONGEST_SIGNER: Final = 571
_PKCS10: Final = "memkube.apis.certificates.v1.certificatesigningrequests.pkcs10"
_request_error: Final[Lazy[Callable[[bytes], str | None]]] = Lazy(f"{_PKCS10}:request_error")
_certificates_error: Final[Lazy[Callable[[bytes], str | None]]] = Lazy(f"{_PKCS10}:certificates_error")


def validate_request(obj: CertificateSigningRequest) -> list[FieldError]:
    """Validate a new CertificateSigningRequest.

    The PEM request must be signed by its own key, and usages and signer name must be valid. The object may have any
    name.
    """
    return _validate(obj) + _validate_certificate(obj.status.certificate)


def validate_request_update(
    new: CertificateSigningRequest, old: CertificateSigningRequest, *, may_decide: bool
) -> list[FieldError]:
    """Validate an update of a CertificateSigningRequest.

    An issued certificate and Approved and Denied conditions cannot be changed or removed. New Approved and Denied
    conditions are allowed only if `may_decide` is True.
    """
    errors = _validate(new)
    before, after = old.status.certificate, new.status.certificate
    if after != before:
        errors += _validate_certificate(after)
    for of_type in _DECISIONS:
        counts = [len(conditions_of(obj, of_type)) for obj in (old, new)]
        if counts[1] < counts[0]:
            errors.append(forbidden(_CONDITIONS, f"updates may not remove a condition of type {quoted(of_type)}"))
    for of_type in () if may_decide else (APPROVED, DENIED):
        counts = [len(conditions_of(obj, of_type)) for obj in (old, new)]
        if counts[1] > counts[0]:
            errors.append(forbidden(_CONDITIONS, f"updates may not add a condition of type {quoted(of_type)}"))
    if after != before and before:
        errors.append(forbidden(_CERTIFICATE, "updates may not modify existing certificate content"))
    return errors + validate_metadata_update(new.metadata, old.metadata)


def conditions_of(obj: CertificateSigningRequest, of_type: str) -> list[CertificateSigningRequestCondition]:
    """Return the conditions of a CertificateSigningRequest that have the type `of_type`, such as ``Approved``."""
    return [condition for condition in obj.status.conditions if condition.type == of_type]


def validate_signer_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate a signer name such as ``example.com/name`` (``ValidateSignerName``)."""
    if not name:
        return [required(path)]
    domain, *rest = name.split("/")
    if len(rest) != 1:
        return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
    errors = [too_long(path, _LONGEST_DOMAIN)] if len(domain.encode()) > _LONGEST_DOMAIN else []
    labels = domain.split(".")
    errors += _first_label_error(domain, labels, is_dns1123_label, path)
    if len(labels) == 1:
        errors.append(invalid(path, domain, "should be a domain with at least two segments separated by dots"))
    errors += _first_label_error(rest[0], rest[0].split("."), is_dns1123_subdomain, path)
    if len(name.encode()) > _LONGEST_SIGNER:
        errors.append(too_long(path, _LONGEST_SIGNER))
    return errors


def _first_label_error(
    part: str, labels: Sequence[str], rule: Callable[[str], list[str]], path: FieldPath
) -> list[FieldError]:
    """Return the errors of the first label that the function `rule` rejects; an empty list if it accepts all labels.

    `labels` are the labels of `part`, which is the domain or the path of a signer name. `rule` gets a label and returns
    the reasons why it is invalid.
    """
    for label in labels:
        if problems := rule(label):
            return [invalid(path, part, f"validating label {quoted(label)}: {problem}") for problem in problems]
    return []


def _validate(obj: CertificateSigningRequest) -> list[FieldError]:
    errors = validate_metadata(obj.metadata, _any_name, namespaced=False)
    return errors + _validate_spec(obj.spec) + _validate_conditions(obj.status.conditions)


def _any_name(name: str, is_prefix: bool = False) -> list[str]:
    return []


def _validate_spec(spec: CertificateSigningRequestSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if fault := _request_error.load()(decode_base64(spec.request)):
        given = spec.request if "request" in spec.model_fields_set else None
        errors.append(invalid(_SPEC.child("request"), given, fault))
    errors += _validate_usages(spec.usages)
    signer = _SPEC.child("signerName")
    if spec.signerName == _LEGACY:
        errors.append(invalid(signer, _LEGACY, "the legacy signerName is not allowed via this API version"))
    else:
        errors += validate_signer_name(spec.signerName, signer)
    if spec.expirationSeconds is not None and spec.expirationSeconds < _SHORTEST_SECONDS:
        why = "may not specify a duration less than 600 seconds (10 minutes)"
        errors.append(invalid(_SPEC.child("expirationSeconds"), spec.expirationSeconds, why))
    return errors


def _validate_usages(usages: Sequence[str]) -> list[FieldError]:
    path = _SPEC.child("usages")
    if not usages:
        return [required(path)]
    unknown = [not_supported(path.item(i), usage, USAGES) for i, usage in enumerate(usages) if usage not in USAGES]
    repeated = [duplicate(path.item(i), TypedString(usage)) for i, usage in enumerate(usages) if usage in usages[:i]]
    return unknown + repeated


def _validate_conditions(conditions: Sequence[CertificateSigningRequestCondition]) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: list[str] = []
    for index, condition in enumerate(conditions):
        path = _CONDITIONS.item(index)
        if not condition.type:
            errors.append(required(path.child("type")))
        allowed = ("True",) if condition.type in _DECISIONS else _STATUSES
        if not condition.status:
            errors.append(required(path.child("status")))
        elif condition.status not in allowed:
            errors.append(not_supported(path.child("status"), condition.status, allowed))
        opposite = {APPROVED: DENIED, DENIED: APPROVED}.get(condition.type)
        if opposite in seen:
            why = "Approved and Denied conditions are mutually exclusive"
            errors.append(invalid(_CONDITIONS, condition.type, why))
        if condition.type in seen:
            errors.append(duplicate(path.child("type"), TypedString(condition.type)))
        seen.append(condition.type)
    return errors


def _validate_certificate(certificate: str) -> list[FieldError]:
    fault = _certificates_error.load()(decode_base64(certificate)) if certificate else None
    return [invalid(_CERTIFICATE, "<certificate data>", fault)] if fault else []
