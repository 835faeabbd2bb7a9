"""DefaultTolerationSeconds: pods stay five minutes on a node that is not ready or not reachable."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.registry.admission import Attributes

_SECONDS = 300
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class DefaultTolerationSeconds(Plugin):
    """Source: ``plugin/pkg/admission/defaulttolerationseconds``."""

    name: ClassVar[str] = "DefaultTolerationSeconds"

    async def mutate(self, attributes: Attributes) -> None:
        """Adds the tolerations that a pod does not have."""
        pod = attributes.new
        if attributes.operation == "DELETE" or attributes.subresource or not isinstance(pod, Pod):
            return
        tolerations = pod.spec.tolerations
        missing = [taint for taint in _TAINTS if not any(_tolerates(t, taint) for t in tolerations)]
        if missing:
            pod.spec.tolerations = [*tolerations, *map(_default, missing)]


def _tolerates(toleration: Toleration, taint: str) -> bool:
    return toleration.key in ("", taint) and toleration.effect in ("", "NoExecute")


def _default(taint: str) -> Toleration:
    return Toleration(key=taint, operator="Exists", effect="NoExecute", tolerationSeconds=_SECONDS)
