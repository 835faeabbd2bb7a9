"""Rules for a selector and the template of the pods that it selects (``pkg/apis/apps/validation``)."""

from memkube.apimachinery import labels
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.json_forms import given
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec


def validate_selector(selector: LabelSelector | None, path: FieldPath, kind: str) -> list[FieldError]:
    """There is a selector, and it does not select everything."""
    if selector is None:
        return [required(path)]
    errors = validate_label_selector(selector, path)
    if not selector.matchLabels and not selector.matchExpressions:
        errors.append(invalid(path, selector, f"empty selector is invalid for {kind}"))
    return errors


def validate_selected(
    template: PodTemplateSpec, selector: LabelSelector | None, path: FieldPath
) -> list[FieldError] | None:
    """The selector selects the template's pods; None where it cannot be evaluated."""
    try:
        selects = labels.from_model(selector)
    except ValueError:
        return None
    if (selector is None or selects.requirements) and not selects.matches(template.metadata.labels):
        why = "`selector` does not match template `labels`"
        return [invalid(path.child("metadata").child("labels"), given(template.metadata, "labels"), why)]
    return []


def validate_replicated_template(
    template: PodTemplateSpec, selector: LabelSelector | None, spec_path: FieldPath
) -> list[FieldError]:
    """The template of a ReplicaSet or Deployment makes pods that are selected and run for ever."""
    path = spec_path.child("template")
    mismatch = validate_selected(template, selector, path)
    if mismatch is None:
        return [invalid(spec_path.child("selector"), selector, "invalid label selector")]
    errors = mismatch + validate_pod_template_spec(template, path)
    return errors + validate_endless(template, path, "ReplicaSet")


def validate_endless(template: PodTemplateSpec, path: FieldPath, kind: str) -> list[FieldError]:
    """The template's pods run for ever."""
    errors: list[FieldError] = []
    spec, spec_path = template.spec, path.child("spec")
    if spec.restartPolicy != "Always":
        errors.append(not_supported(spec_path.child("restartPolicy"), spec.restartPolicy, ("Always",)))
    if spec.activeDeadlineSeconds is not None:
        why = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(spec_path.child("activeDeadlineSeconds"), why))
    return errors
