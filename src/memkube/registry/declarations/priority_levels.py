"""The limits in a PriorityLevelConfiguration, for the code of this kind and for API priority and fairness."""

from memkube.apimachinery.model import Document


def limits_of(level: Document) -> Document | None:
    """Return the limits in a PriorityLevelConfiguration for its type: ``spec.exempt`` or ``spec.limited``.

    Returns None if they are missing. kube-apiserver ignores such a level (``util/flowcontrol/apf_controller.go``).
    """
    spec = level["spec"]
    limits: Document | None = spec.get("exempt" if spec["type"] == "Exempt" else "limited")
    return limits
