"""Which taints are tolerated (``k8s.io/api/core/v1/toleration.go``)."""

from memkube.apimachinery.model import Document


def tolerates(toleration: Document, taint: Document) -> bool:
    """Whether a toleration is about a taint. Operators that compare numbers never are: that feature is off."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint["effect"]) or (key and key != taint["key"]):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Equal":
        return bool(toleration.get("value", "") == taint.get("value", ""))
    return bool(operator == "Exists")
