"""Validation of updates of pods: general updates, changes of a pod with scheduling gates, and ephemeral containers."""

from typing import Any, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.names import range_error, subdomain_name
from memkube.apimachinery.shown_values import InternalValue, given, quoted
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.pods.validation.create import (
    METADATA,
    POD_RULES,
    SPEC,
    validate_annotations_and_spec,
    validate_fixed_annotations,
    validate_pod_annotations_update,
)
from memkube.apis.core.v1.podspec.internal_form import internal_difference
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.scheduling import Affinity, NodeAffinity, NodeSelectorTerm
from memkube.apis.core.v1.podspec.validation.containers import validate_image_spacing
from memkube.apis.core.v1.podspec.validation.context import SpecRules
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.podspec.validation.scheduling import REQUIRED, validate_tolerations

_MAX_INT32: Final = 2**31 - 1
_ANY_POLICY: Final = SpecRules(is_pod=True, any_selinux_policy=True)
_CHANGEABLE: Final = (
    "`spec.containers[*].image`,"
    "`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_gated_changes(new: PodSpec, old: PodSpec) -> list[FieldError]:
    """Validate changes of node selector and node affinity in a pod with scheduling gates.

    Requirements may only be added.
    """
    errors: list[FieldError] = []
    if not old.nodeSelector.items() <= new.nodeSelector.items():
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.append(invalid(SPEC.child("nodeSelector"), given(new, "nodeSelector"), detail))
    return errors + _validate_terms(_terms(_node_affinity(new)), _terms(_node_affinity(old)) or [])


def without_gated_changes(new: PodSpec, old: PodSpec) -> PodSpec:
    """Return the new spec with the old node selector and node affinity, for comparison with the old spec.

    A pod with scheduling gates may change these two fields.
    """
    before, after = _node_affinity(old), _node_affinity(new)
    changes: dict[str, object] = {"nodeSelector": old.nodeSelector}
    if before != after:
        changes["affinity"] = _with_node_affinity(new.affinity, old.affinity, before)
    kept = new.model_copy(update=changes)
    # An old nodeSelector that is empty is nil in kube-apiserver, and errors must print it like that.
    kept.model_fields_set.discard("nodeSelector")
    return kept


def _node_affinity(spec: PodSpec) -> NodeAffinity | None:
    return spec.affinity.nodeAffinity if spec.affinity else None


def _terms(affinity: NodeAffinity | None) -> list[NodeSelectorTerm] | None:
    """Return the terms that a node affinity requires.

    Returns None if the affinity or its nodeSelectorTerms are absent; error messages print this differently from an
    empty list.
    """
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    terms: list[NodeSelectorTerm] | None = given(required, "nodeSelectorTerms") if required else None
    return terms


def _with_node_affinity(new: Affinity | None, old: Affinity | None, nodes: NodeAffinity | None) -> Affinity | None:
    if new is None:
        return Affinity(nodeAffinity=nodes)
    if old is None and new.podAffinity is None and new.podAntiAffinity is None:
        return None
    return new.model_copy(update={"nodeAffinity": nodes})


def _validate_terms(new: list[NodeSelectorTerm] | None, old: list[NodeSelectorTerm]) -> list[FieldError]:
    path = SPEC.child("affinity").child("nodeAffinity").child(REQUIRED).child("nodeSelectorTerms")
    if old and len(old) != len(new or []):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [invalid(path, InternalValue(new) if new else new, detail)]
    detail = "only additions are allowed (no mutations or deletions)"
    return [
        invalid(path.item(index), InternalValue(after), detail)
        for index, (before, after) in enumerate(zip(old, new or [], strict=False))
        if not _only_grew(after, before)
    ]


def _only_grew(new: NodeSelectorTerm, old: NodeSelectorTerm) -> bool:
    """True if a new node selector term has the requirements of the old term, and perhaps more after these.

    An empty term must stay empty.
    """
    if not old.matchExpressions and not old.matchFields:
        return not new.matchExpressions and not new.matchFields
    expressions, fields = old.matchExpressions, old.matchFields
    kept_expressions = new.matchExpressions[: len(expressions)] == expressions
    return kept_expressions and new.matchFields[: len(fields)] == fields


def validate_pod_ephemeral_containers_update(new: Pod, old: Pod) -> list[FieldError]:
    """Validate an update of a pod's ephemeral containers: existing ones must be unchanged."""
    if MIRROR_POD in old.metadata.annotations:
        return [forbidden("[]", "static pods do not support ephemeral containers")]
    errors = validate_change(new, old)
    path = SPEC.child("ephemeralContainers")
    after = {container.name: container for container in new.spec.ephemeralContainers}
    for container in old.spec.ephemeralContainers:
        name = quoted(container.name)
        if container.name not in after:
            errors.append(forbidden(path, f"existing ephemeral containers {name} may not be removed\n"))
        elif after[container.name] != container:
            difference = internal_difference(container, after[container.name])
            errors.append(forbidden(path, f"existing ephemeral containers {name} may not be changed\n{difference}"))
    return errors


def validate_pod_update(new: Pod, old: Pod) -> list[FieldError]:
    """Validate an update of a pod. Errors are in the order of kube-apiserver."""
    errors = validate_change(new, old)
    if not errors and new.spec == old.spec:
        # Nothing remains to be checked: the rules below either compare old and new spec, or were checked by
        # `validate_change` already.
        return errors
    for name in ("containers", "initContainers"):
        before, after = getattr(old.spec, name), getattr(new.spec, name)
        if len(before) != len(after):
            return [*errors, forbidden(SPEC.child(name), "pod updates may not add or remove containers")]
        errors += _validate_images(after, SPEC.child(name))
    deadline_errors, is_final = _validate_deadline(new.spec, old.spec)
    errors += deadline_errors
    if is_final:
        return errors
    errors += _validate_added_tolerations(new.spec, old.spec, SPEC.child("tolerations"))
    errors += _validate_removed_gates(new.spec, old.spec, SPEC.child("schedulingGates"))
    if new.spec == old.spec:
        return errors
    remainder = _without_mutable_fields(new.spec, old.spec)
    if old.spec.schedulingGates:
        errors += validate_gated_changes(remainder, old.spec)
        remainder = without_gated_changes(remainder, old.spec)
    if remainder != old.spec:
        difference = internal_difference(old.spec, remainder)
        detail = f"pod updates may not change fields other than {_CHANGEABLE}\n{difference}"
        errors.append(forbidden(SPEC, detail))
    return errors


def validate_change(new: Pod, old: Pod) -> list[FieldError]:
    """Validate an updated pod by the rules that general updates, resizes and new ephemeral containers have in common.

    Which fields may change is not checked here.
    """
    context = old.spec.securityContext
    has_policy = context is not None and context.seLinuxChangePolicy is not None
    meta = new.metadata
    errors = validate_metadata_update(meta, old.metadata)
    if errors or meta.generateName or meta.finalizers:
        # The other metadata rules cannot fail here: they concern the name, which is immutable, or were checked above.
        errors += validate_metadata(meta, subdomain_name, namespaced=True)
    errors += validate_annotations_and_spec(new, _ANY_POLICY if has_policy else POD_RULES)
    path = METADATA.child("annotations")
    if errors:
        return errors + validate_pod_annotations_update(new, old, path)
    return validate_fixed_annotations(meta.annotations, old.metadata.annotations, path)


def _validate_images(containers: list[Container], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, container in enumerate(containers):
        if not container.image:
            errors.append(required(path.item(index).child("image")))
        errors += validate_image_spacing(container, path.item(index))
    return errors


def _validate_deadline(new: PodSpec, old: PodSpec) -> tuple[list[FieldError], bool]:
    """Validate a change of activeDeadlineSeconds: it may be set or shortened.

    Returns the errors, and True if the new deadline is out of range or extended: the update is then rejected without
    further checks.
    """
    path = SPEC.child("activeDeadlineSeconds")
    before, after = old.activeDeadlineSeconds, new.activeDeadlineSeconds
    if after is None:
        detail = "must not update from a positive integer to nil value"
        return ([] if before is None else [invalid(path, None, detail)]), False
    if not 0 <= after <= _MAX_INT32:
        return [invalid(path, after, range_error(0, _MAX_INT32))], True
    if before is not None and before < after:
        return [invalid(path, after, "must be less than or equal to previous value")], True
    return [], False


def _validate_added_tolerations(new: PodSpec, old: PodSpec, path: FieldPath) -> list[FieldError]:
    if new.tolerations == old.tolerations and not new.tolerations:
        return []
    untimed = [toleration.model_copy(update={"tolerationSeconds": None}) for toleration in new.tolerations]
    for toleration in old.tolerations:
        if toleration.model_copy(update={"tolerationSeconds": None}) not in untimed:
            return [forbidden(path, "existing toleration can not be modified except its tolerationSeconds")]
    return validate_tolerations(new.tolerations, path)


def _validate_removed_gates(new: PodSpec, old: PodSpec, path: FieldPath) -> list[FieldError]:
    before = {gate.name for gate in old.schedulingGates}
    added = {gate.name: index for index, gate in enumerate(new.schedulingGates) if gate.name not in before}
    return [
        forbidden(path.item(index).child("name"), f"only deletion is allowed, but found new scheduling gate '{name}'")
        for name, index in added.items()
    ]


def _without_mutable_fields(new: PodSpec, old: PodSpec) -> PodSpec:
    """Return the new spec with the old values of all mutable fields, for comparison with the old spec."""
    changes: dict[str, Any] = {
        "activeDeadlineSeconds": old.activeDeadlineSeconds,
        "schedulingGates": old.schedulingGates,
        "tolerations": old.tolerations,
    }
    for name in ("containers", "initContainers"):
        pairs = zip(getattr(new, name), getattr(old, name), strict=True)
        changes[name] = [container.model_copy(update={"image": other.image}) for container, other in pairs]
    remainder = new.model_copy(update=changes)
    # In kube-apiserver, empty fields of the old pod are nil, so errors must print them as nil.
    remainder.model_fields_set.difference_update(changes)
    return remainder
