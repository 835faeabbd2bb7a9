"""Rules for changes of annotations that mean something to pods."""

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.podspec.validation.annotations import validate_pod_annotations
from memkube.apis.core.v1.podspec.validation.profiles import APPARMOR_ANNOTATION
from memkube.apis.core.v1.podspec.validation.resource_claims import MIRROR_POD


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
