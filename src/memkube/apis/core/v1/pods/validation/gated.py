"""Rules for pods whose scheduling waits: where they go may still be narrowed down (KEP-3838)."""

from memkube.apimachinery.field_errors import FieldError, invalid
from memkube.apimachinery.json_forms import given
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.pods.validation.create import SPEC
from memkube.apis.core.v1.podspec.types.affinity import Affinity, NodeAffinity, NodeSelectorTerm
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.affinity import REQUIRED


def validate_gated_changes(new: PodSpec, old: PodSpec) -> list[FieldError]:
    """Node selectors and terms of node affinity only grow."""
    errors: list[FieldError] = []
    if not old.nodeSelector.items() <= new.nodeSelector.items():
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.append(invalid(SPEC.child("nodeSelector"), given(new, "nodeSelector"), detail))
    return errors + _validate_terms(_terms(_node_affinity(new)), _terms(_node_affinity(old)) or [])


def keep_gated_changes(new: PodSpec, old: PodSpec) -> PodSpec:
    """The new spec with the old one's values where a pod that waits may change."""
    before, after = _node_affinity(old), _node_affinity(new)
    changes: dict[str, object] = {"nodeSelector": old.nodeSelector}
    if before != after:
        changes["affinity"] = _with_node_affinity(new.affinity, old.affinity, before)
    kept = new.model_copy(update=changes)
    kept.model_fields_set.discard("nodeSelector")  # what is taken from storage is nil where it is empty
    return kept


def _node_affinity(spec: PodSpec) -> NodeAffinity | None:
    return spec.affinity.nodeAffinity if spec.affinity else None


def _terms(affinity: NodeAffinity | None) -> list[NodeSelectorTerm] | None:
    """The terms; None where nobody wrote any, be it an empty list."""
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
        return [invalid(path, Unversioned(new) if new else new, detail)]
    detail = "only additions are allowed (no mutations or deletions)"
    return [
        invalid(path.item(index), Unversioned(after), detail)
        for index, (before, after) in enumerate(zip(old, new or [], strict=False))
        if not _only_grew(after, before)
    ]


def _only_grew(new: NodeSelectorTerm, old: NodeSelectorTerm) -> bool:
    """The old requirements come first; a term that selects nothing must not begin to select."""
    if not old.matchExpressions and not old.matchFields:
        return not new.matchExpressions and not new.matchFields
    expressions, fields = old.matchExpressions, old.matchFields
    kept_expressions = new.matchExpressions[: len(expressions)] == expressions
    return kept_expressions and new.matchFields[: len(fields)] == fields
