from typing import Any

import pytest

from memkube.apimachinery.base64 import encode_base64
from memkube.apis.core.v1.secrets.types import Secret
from memkube.apis.core.v1.secrets.validation import validate_secret, validate_secret_update


def secret(kind: str = "Opaque", data: dict[str, str] | None = None, **fields: Any) -> Secret:
    metadata = {"name": "a", "namespace": "default", "resourceVersion": "1"}
    encoded = {key: encode_base64(value.encode()) for key, value in (data or {}).items()}
    return Secret.from_document({"metadata": metadata, "type": kind, "data": encoded, **fields})


def messages(new: Secret) -> list[str]:
    return [str(error) for error in validate_secret(new)]


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("kubernetes.io/service-account-token", ["metadata.annotations[kubernetes.io/service-account.name]"]),
        ("kubernetes.io/dockercfg", ["data[.dockercfg]"]),
        ("kubernetes.io/dockerconfigjson", ["data[.dockerconfigjson]"]),
        ("kubernetes.io/basic-auth", ["data[username]", "data[password]"]),
        ("kubernetes.io/ssh-auth", ["data[ssh-privatekey]"]),
        ("kubernetes.io/tls", ["data[tls.crt]", "data[tls.key]"]),
        ("example.com/own", []),
    ],
)
def test_a_type_asks_for_its_entries(kind: str, missing: list[str]) -> None:
    assert messages(secret(kind)) == [f"{field}: Required value" for field in missing]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "unexpected end of JSON input"),
        ("{]", "invalid character ']' looking for beginning of object key string"),
        ("[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        (" 1", "json: cannot unmarshal number into Go value of type map[string]interface {}"),
    ],
)
def test_registry_credentials_are_a_json_object(text: str, fault: str) -> None:
    found = messages(secret("kubernetes.io/dockercfg", {".dockercfg": text}))
    assert found == [f'data[.dockercfg]: Invalid value: "<secret contents redacted>": {fault}']


@pytest.mark.parametrize("text", ["{}", " null"])
def test_null_passes_for_an_object(text: str) -> None:
    assert messages(secret("kubernetes.io/dockerconfigjson", {".dockerconfigjson": text})) == []


def test_one_of_name_and_password_is_enough() -> None:
    assert messages(secret("kubernetes.io/basic-auth", {"password": ""})) == []


def test_an_ssh_key_is_not_empty() -> None:
    assert messages(secret("kubernetes.io/ssh-auth", {"ssh-privatekey": ""})) == [
        "data[ssh-privatekey]: Required value"
    ]


def test_decoded_values_have_1_mib_at_most() -> None:
    assert messages(secret(data={"a": "x" * 2**20})) == []
    assert messages(secret(data={"a": "x" * 2**20, "b": "x"})) == ["data: Too long: may not be more than 1048576 bytes"]


def test_the_type_is_immutable() -> None:
    errors = validate_secret_update(secret("example.com/own"), secret())
    assert [str(error) for error in errors] == ['type: Invalid value: "example.com/own": field is immutable']


def test_an_immutable_secret_cannot_be_changed() -> None:
    old = secret(data={"a": "1"}, immutable=True)
    assert validate_secret_update(old, old) == []
    errors = validate_secret_update(secret(data={"a": "2"}), old)
    assert [error.field for error in errors] == ["immutable", "data"]
