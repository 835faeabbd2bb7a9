"""Rules for annotations that mean something to pods."""

import re
from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.profiles import validate_profile_annotations
from memkube.apis.core.v1.podspec.validation.resource_claims import MIRROR_POD
from memkube.apis.core.v1.podspec.validation.toleration_annotation import (
    TOLERATIONS_ANNOTATION,
    validate_toleration_annotation,
)

_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_CANONICAL_INTEGER: Final = re.compile("0|[1-9][0-9]*|-[0-9]+")


def validate_pod_annotations(annotations: Mapping[str, str], spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Values that the server or a controller reads can be read."""
    errors: list[FieldError] = []
    if MIRROR_POD in annotations and not spec.nodeName:
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(invalid(path.key(MIRROR_POD), annotations[MIRROR_POD], detail))
    if tolerations := annotations.get(TOLERATIONS_ANNOTATION):
        errors += validate_toleration_annotation(tolerations, path)
    if (cost := annotations.get(_DELETION_COST)) is not None and not _is_int32(cost):
        errors.append(invalid(path.key(_DELETION_COST), cost, "must be a 32bit integer"))
    return errors + validate_profile_annotations(annotations, spec, path)


def _is_int32(text: str) -> bool:
    return _CANONICAL_INTEGER.fullmatch(text) is not None and -(2**31) <= int(text) < 2**31
