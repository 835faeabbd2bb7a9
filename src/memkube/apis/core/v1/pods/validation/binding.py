"""Rules for bindings of pods to nodes."""

from memkube.apimachinery.field_errors import FieldError, FieldPath, not_supported, required
from memkube.apis.core.v1.pods.types.binding import Binding


def validate_binding(binding: Binding) -> list[FieldError]:
    """The target is a node with a name."""
    path = FieldPath("target")
    errors: list[FieldError] = []
    if binding.target.kind not in ("", "Node"):
        errors.append(not_supported(path.child("kind"), binding.target.kind, ("Node", "<empty>")))
    if not binding.target.name:
        errors.append(required(path.child("name")))
    return errors
