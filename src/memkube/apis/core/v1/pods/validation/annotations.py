"""Rules for annotations that mean something to pods."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter, ValidationError

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.apis.core.v1.podspec.validation.profiles import APPARMOR_ANNOTATION, validate_profile_annotations
from memkube.apis.core.v1.podspec.validation.resource_claims import MIRROR_POD
from memkube.apis.core.v1.podspec.validation.scheduling import validate_tolerations

_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_CANONICAL_INTEGER: Final = re.compile("0|[1-9][0-9]*|-[0-9]+")
_TOLERATION_LIST: Final = TypeAdapter(list[Toleration])


def validate_pod_annotations(annotations: Mapping[str, str], spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Values that the server or a controller reads can be read."""
    errors: list[FieldError] = []
    if MIRROR_POD in annotations and not spec.nodeName:
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(invalid(path.key(MIRROR_POD), annotations[MIRROR_POD], detail))
    if tolerations := annotations.get(_TOLERATIONS):
        errors += _validate_tolerations(tolerations, path)
    if (cost := annotations.get(_DELETION_COST)) is not None and not _is_int32(cost):
        errors.append(invalid(path.key(_DELETION_COST), cost, "must be a 32bit integer"))
    return errors + validate_profile_annotations(annotations, spec, path)


def validate_pod_annotations_update(new: Pod, old: Pod, path: FieldPath) -> list[FieldError]:
    """Annotations that were decided at creation stay; the others keep their rules."""
    before, after = old.metadata.annotations, new.metadata.annotations
    errors: list[FieldError] = []
    for key in before:
        if after.get(key) != before[key]:
            errors += _validate_fixed(key, "remove or update", path)
    for key in after:
        if key not in before:
            errors += _validate_fixed(key, "add", path)
    return errors + validate_pod_annotations(after, new.spec, path) if after else errors


def _validate_fixed(key: str, change: str, path: FieldPath) -> list[FieldError]:
    if key.startswith(APPARMOR_ANNOTATION):
        return [forbidden(path.key(key), f"may not {change} AppArmor annotations")]
    return [forbidden(path.key(key), f"may not {change} mirror pod annotation")] if key == MIRROR_POD else []


def _validate_tolerations(text: str, path: FieldPath) -> list[FieldError]:
    try:
        tolerations = _TOLERATION_LIST.validate_json(text)
    except ValidationError as error:
        return [invalid(path, _TOLERATIONS, error.errors()[0]["msg"])]
    return validate_tolerations(tolerations, path.child(_TOLERATIONS))


def _is_int32(text: str) -> bool:
    return _CANONICAL_INTEGER.fullmatch(text) is not None and -(2**31) <= int(text) < 2**31
