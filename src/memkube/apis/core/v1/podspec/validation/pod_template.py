"""Rules for templates of pods, which other kinds carry."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations
from memkube.apis.core.v1.podspec.types.pod_template import PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.annotations import validate_pod_annotations
from memkube.apis.core.v1.podspec.validation.context import SpecRules
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_spec
from memkube.apis.core.v1.podspec.validation.profiles import (
    validate_apparmor_agreement,
    validate_seccomp_agreement,
)

_TEMPLATE: Final = SpecRules()


def validate_pod_template_spec(template: PodTemplateSpec, path: FieldPath) -> list[FieldError]:
    """Pods made from the template keep their rules, as far as a template decides that."""
    labels, annotations, spec = template.metadata.labels, template.metadata.annotations, template.spec
    spec_path = path.child("spec")
    errors = validate_labels(labels, path.child("labels"))
    errors += validate_annotations(annotations, path.child("annotations"))
    errors += validate_pod_annotations(annotations, spec, path.child("annotations"))
    errors += validate_pod_spec(spec, spec_path, _TEMPLATE, annotations={})
    errors += validate_seccomp_agreement(annotations, spec, spec_path)
    errors += validate_apparmor_agreement(annotations, spec, spec_path)
    if spec.ephemeralContainers:
        detail = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(spec_path.child("ephemeralContainers"), detail))
    return errors
