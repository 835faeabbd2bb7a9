"""Which taints a pod puts up with (``k8s.io/api/core/v1/toleration.go``)."""

from collections.abc import Sequence

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.node_info import Taint


def tolerates(tolerations: Sequence[Document] | None, taint: Taint) -> bool:
    """Whether a taint is tolerated. Gt and Lt never do, while comparing taints is an alpha feature."""
    return any(_tolerates(toleration, taint) for toleration in tolerations or ())


def _tolerates(toleration: Document, taint: Taint) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint.effect) or (key and key != taint.key):
        return False
    operator = toleration.get("operator") or "Equal"
    return operator == "Exists" or (operator == "Equal" and toleration.get("value", "") == taint.value)
