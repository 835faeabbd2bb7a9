from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.certificates.v1.certificatesigningrequests.types import CertificateSigningRequest
from memkube.apis.certificates.v1.certificatesigningrequests.validation import (
    validate_request,
    validate_request_update,
    validate_signer_name,
)
from tests.apis.certificates.v1.certificatesigningrequests.requests import manifest, request_pem

PEM = request_pem()
LEGACY = "kubernetes.io/legacy-unknown"
TOO_SHORT = "Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"
FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


def request(**spec: Any) -> CertificateSigningRequest:
    return CertificateSigningRequest.from_document(manifest("one", PEM, **spec))


def with_conditions(*conditions: tuple[str, str]) -> CertificateSigningRequest:
    obj = request()
    obj.metadata.resourceVersion = "1"
    listed = [{"type": of_type, "status": status} for of_type, status in conditions]
    return CertificateSigningRequest.from_document({**obj.to_document(), "status": {"conditions": listed}})


def messages(errors: list[Any]) -> list[str]:
    return [str(error) for error in errors]


@pytest.mark.parametrize("name", ["example.com/a", "a.b.c/d.e", f"a.b/{'x' * 253}", f"{'a' * 63}.b/c"])
def test_a_signer_has_a_domain_and_a_name(name: str) -> None:
    assert validate_signer_name(name, FieldPath("s")) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ["s: Required value"]),
        (
            "a.b",
            [f's: Invalid value: "a.b": {FORM}'],
        ),
        ("ab/c", ['s: Invalid value: "ab": should be a domain with at least two segments separated by dots']),
        ("A.B/c", [f's: Invalid value: "A.B": validating label "A": {LABEL}']),
        (f"{'a.' * 127}b/c", ["s: Too long: may not be more than 253 bytes"]),
        (f"a.b/{'c' * 200}.{'d' * 200}.{'e' * 200}", ["s: Too long: may not be more than 571 bytes"]),
    ],
)
def test_what_no_signer_is_called(name: str, expected: list[str]) -> None:
    assert messages(validate_signer_name(name, FieldPath("s"))) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"usages": []}, ["spec.usages: Required value"]),
        ({"usages": ["any", "any"]}, ['spec.usages[1]: Duplicate value: "any"']),
        (
            {"signerName": LEGACY},
            [f'spec.signerName: Invalid value: "{LEGACY}": the legacy signerName is not allowed via this API version'],
        ),
        (
            {"expirationSeconds": 599},
            [f"spec.expirationSeconds: {TOO_SHORT}"],
        ),
        ({"request": ""}, ['spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST']),
        (
            {"request": "aGVsbG8="},
            ['spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST'],
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_told(spec: dict[str, Any], expected: list[str]) -> None:
    assert messages(validate_request(request(**spec))) == expected


def test_an_unknown_usage_is_answered_with_all_there_are() -> None:
    [error] = validate_request(request(usages=["fun"]))
    assert str(error).startswith('spec.usages[0]: Unsupported value: "fun": supported values: "any", "cert sign", ')


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [("Failed", "True")], []),
        ([], [("Approved", "True")], ['Forbidden: updates may not add a condition of type "Approved"']),
        ([("Failed", "True")], [], ['Forbidden: updates may not remove a condition of type "Failed"']),
        ([("Odd", "True")], [], []),
    ],
)
def test_a_signer_does_not_decide(
    before: list[tuple[str, str]], after: list[tuple[str, str]], expected: list[str]
) -> None:
    errors = validate_request_update(with_conditions(*after), with_conditions(*before), may_decide=False)
    assert messages(errors) == [f"status.conditions: {message}" for message in expected]


def test_an_approver_does() -> None:
    assert validate_request_update(with_conditions(("Denied", "True")), with_conditions(), may_decide=True) == []
