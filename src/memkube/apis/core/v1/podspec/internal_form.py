"""Pod specs in kube-apiserver's internal version, as error messages print them.

Some fields, such as hostNetwork, are in other places there than in v1. Source: ``pkg/apis/core/v1/conversion.go``.
"""

from types import MappingProxyType
from typing import Final

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import (
    InternalStruct,
    InternalStructs,
    InternalValue,
    given,
    go_json,
    internal_form,
    internal_struct,
    line_diff,
)
from memkube.apis.core.v1 import GO_PACKAGE
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext


def internal_difference(before: ApiModel, after: ApiModel) -> str:
    """Return the differing lines of two pod specs, or parts of them, in kube-apiserver's internal version."""
    texts = (go_json(internal_form(value, _STRUCTS), indent=1) for value in (before, after))
    return line_diff(*texts)


def internal_value(value: ApiModel) -> InternalValue:
    """Return a pod template or a part of it in kube-apiserver's internal version, as error messages print it."""
    return InternalValue(value, _STRUCTS)


def _pod_spec(spec: PodSpec) -> InternalStruct:
    """Return a pod spec in kube-apiserver's internal version.

    There, the security context is always set, and contains hostNetwork, hostPID and similar fields of the v1 spec.
    """
    fields = {facts.go_name: given(spec, facts.name) for facts in go_package(GO_PACKAGE).fields("PodSpec")}
    context = internal_struct(spec.securityContext or PodSecurityContext(), fields)
    return internal_struct(spec, {"SecurityContext": context})


_STRUCTS: Final[InternalStructs] = MappingProxyType({PodSpec: _pod_spec})
