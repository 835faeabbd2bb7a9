"""Decodes the objects in configuration files of kube-apiserver (group ``apiserver.config.k8s.io``).

Errors have kube-apiserver's text. Source: apimachinery's ``serializer/json`` with strict decoding.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from memkube.apimachinery.decoding import DecodeError, parse_json, probe_type, type_meta_error
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import quoted

_GROUP: Final = "apiserver.config.k8s.io"
_BOTH: Final = frozenset({"AuthenticationConfiguration", "AuthorizationConfiguration", "TracingConfiguration"})
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    f"{_GROUP}/v1": _BOTH | {"AdmissionConfiguration", "EncryptionConfiguration"},
    f"{_GROUP}/v1beta1": _BOTH | {"EgressSelectorConfiguration"},
    f"{_GROUP}/v1alpha1": _BOTH | {"AdmissionConfiguration", "EgressSelectorConfiguration"},
}
_V1_TYPE: Final = re.compile(r"( of type (?:\[\])?)v1\.")
M = TypeVar("M", bound=ApiModel)


def decode_configuration(text: str, model: type[M]) -> M:
    """Return the object in the text of a configuration file, in YAML or JSON.

    The kind is the name of the class `model`. Raises ValueError if the text is malformed, or has another kind, an
    unknown version, an unknown field or a duplicate one.
    """
    body, version = text.encode(), "v1"
    try:
        data, json_text, strict_errors = _parsed(body)
        api_version, kind = probe_type(data)
        _check_kind(api_version, kind, model.__name__, text)
        version = api_version.rpartition("/")[2]
        decoded = ModelForm(model).decode(data, json_text)
    except DecodeError as error:
        # The models are those of version v1. The other versions have the same types in packages of their own.
        raise ValueError(_V1_TYPE.sub(rf"\g<1>{version}.", error.message)) from None
    if strict_errors := [*strict_errors, *decoded.strict_errors]:
        raise ValueError(f"strict decoding error: {', '.join(strict_errors)}")
    return decoded.value


def _parsed(body: bytes) -> tuple[Any, bytes | None, list[str]]:
    """Return the data of a file, its text if that is JSON, and the errors about duplicate keys if it is YAML."""
    if not body.lstrip().startswith(b"{"):
        read = read_yaml(body)
        return read.data, None, read.strict_errors
    try:
        return parse_json(body), body, []
    except DecodeError as error:
        raise type_meta_error(error.message) from None


def _check_kind(api_version: str, kind: str, wanted: str, text: str) -> None:
    for name, value in (("Kind", kind), ("apiVersion", api_version)):
        if not value:
            raise DecodeError(f"Object '{name}' is missing in '{text}'")
    if kind not in _KINDS.get(api_version, ()):
        raise DecodeError(f"no kind {quoted(kind)} is registered for version {quoted(api_version)}")
    if kind != wanted:
        raise DecodeError(f"expected {wanted}, got *apiserver.{kind}")
