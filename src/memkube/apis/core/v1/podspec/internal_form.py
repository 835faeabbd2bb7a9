"""How the reference holds pod specs inside, where fields are elsewhere than in v1.

Source: ``pkg/apis/core/v1/conversion.go``.
"""

from types import MappingProxyType
from typing import Final

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import (
    InternalStruct,
    InternalStructs,
    Unversioned,
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
    """The lines by which the internal forms of two pod specs, or of parts of them, differ; for messages."""
    texts = (go_json(internal_form(value, _STRUCTS), indent=1) for value in (before, after))
    return line_diff(*texts)


def internal_value(value: ApiModel) -> Unversioned:
    """A template of pods, or a part of one, as messages show what the reference holds inside."""
    return Unversioned(value, _STRUCTS)


def _pod_spec(spec: PodSpec) -> InternalStruct:
    """What concerns the host is part of the security context, which is always there."""
    fields = {facts.go_name: given(spec, facts.name) for facts in go_package(GO_PACKAGE).fields("PodSpec")}
    context = internal_struct(spec.securityContext or PodSecurityContext(), fields)
    return internal_struct(spec, {"SecurityContext": context})


_STRUCTS: Final[InternalStructs] = MappingProxyType({PodSpec: _pod_spec})
