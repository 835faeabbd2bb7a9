"""Validation of new pods and of Bindings (``pkg/apis/core/validation``)."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, not_supported_string, required
from memkube.apimachinery.names import subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.core.v1.pods.types import Binding, Pod
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.annotations import validate_pod_annotations
from memkube.apis.core.v1.podspec.validation.containers import validate_images_spacing
from memkube.apis.core.v1.podspec.validation.context import SpecRules
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_spec
from memkube.apis.core.v1.podspec.validation.profiles import (
    APPARMOR_ANNOTATION,
    validate_apparmor_agreement,
    validate_seccomp_agreement,
)
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.registry.objects.interned_specs import interned_spec_of

METADATA: Final = FieldPath("metadata")
SPEC: Final = FieldPath("spec")
POD_RULES: Final = SpecRules(is_pod=True)


def validate_pod_annotations_update(new: Pod, old: Pod, path: FieldPath) -> list[FieldError]:
    """Validate the annotations of an updated pod.

    Besides the rules for new pods, annotations that only a new pod may set must be unchanged.
    """
    after = new.metadata.annotations
    errors = validate_fixed_annotations(after, old.metadata.annotations, path)
    return errors + validate_pod_annotations(after, new.spec, path) if after else errors


def validate_fixed_annotations(
    after: Mapping[str, str], before: Mapping[str, str], path: FieldPath
) -> list[FieldError]:
    """Validate that an update does not change the annotations which only a new pod may set.

    These are AppArmor annotations and the annotation of mirror pods. `path` is the field path of the annotations.
    """
    if after == before:
        return []
    errors: list[FieldError] = []
    for key in before:
        if after.get(key) != before[key]:
            errors += _validate_fixed(key, "remove or update", path)
    for key in after:
        if key not in before:
            errors += _validate_fixed(key, "add", path)
    return errors


def _validate_fixed(key: str, change: str, path: FieldPath) -> list[FieldError]:
    if key.startswith(APPARMOR_ANNOTATION):
        return [forbidden(path.key(key), f"may not {change} AppArmor annotations")]
    return [forbidden(path.key(key), f"may not {change} mirror pod annotation")] if key == MIRROR_POD else []


def validate_pod(pod: Pod) -> list[FieldError]:
    """Validate a new pod. Errors are in the order of kube-apiserver."""
    errors = validate_metadata(pod.metadata, subdomain_name, namespaced=True)
    errors += validate_annotations_and_spec(pod, POD_RULES)
    if pod.spec.ephemeralContainers:
        errors.append(forbidden(SPEC.child("ephemeralContainers"), "cannot be set on create"))
    if pod.spec.nodeName and pod.spec.schedulingGates:
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(forbidden(SPEC.child("nodeName"), detail))
    if annotations := pod.metadata.annotations:
        errors += validate_seccomp_agreement(annotations, pod.spec, SPEC)
        errors += validate_apparmor_agreement(annotations, pod.spec, SPEC)
    return errors


def validate_annotations_and_spec(pod: Pod, rules: SpecRules) -> list[FieldError]:
    """Validate the annotations and spec of a new or updated pod; `rules` are the options of `validate_pod_spec`."""
    annotations, spec = pod.metadata.annotations, pod.spec
    errors = validate_pod_annotations(annotations, spec, METADATA.child("annotations")) if annotations else []
    known = interned_spec_of(spec)
    if known is None or spec.resourceClaims or any(volume.ephemeral for volume in spec.volumes):
        return errors + _validate_spec(pod, rules)
    # Here, validity depends neither on the pod's name nor on its annotations, so it is cached with the spec.
    is_right = known.fact(rules, lambda: not _validate_spec(pod, rules))
    return errors if is_right else errors + _validate_spec(pod, rules)


def _validate_spec(pod: Pod, rules: SpecRules) -> list[FieldError]:
    meta, spec = pod.metadata, pod.spec
    errors = validate_pod_spec(spec, SPEC, rules, pod_name=meta.name, annotations=meta.annotations)
    if not spec.serviceAccountName and spec.volumes:
        errors += _validate_no_tokens(spec)
    errors += validate_images_spacing(spec.containers, SPEC.child("containers"))
    if spec.initContainers:
        errors += validate_images_spacing(spec.initContainers, SPEC.child("initContainers"))
    return errors


def _validate_no_tokens(spec: PodSpec) -> list[FieldError]:
    detail = "must not be specified when serviceAccountName is not set"
    errors: list[FieldError] = []
    for index, volume in enumerate(spec.volumes):
        for number, source in enumerate(volume.projected.sources if volume.projected else []):
            if source.serviceAccountToken is not None:
                sources = SPEC.child("volumes").item(index).child("projected").child("sources")
                errors.append(forbidden(sources.item(number).child("serviceAccountToken"), detail))
    return errors


def validate_binding(binding: Binding) -> list[FieldError]:
    """Validate that the target of a Binding is a Node with a name."""
    path = FieldPath("target")
    errors: list[FieldError] = []
    if binding.target.kind not in ("", "Node"):
        errors.append(not_supported_string(path.child("kind"), binding.target.kind, ("Node", "<empty>")))
    if not binding.target.name:
        errors.append(required(path.child("name")))
    return errors
