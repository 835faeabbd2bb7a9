"""DefaultTolerationSeconds: lets pods tolerate not-ready and unreachable nodes for five minutes."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.registry.declarations.admission import Attributes

_SECONDS: Final = 300
_DEFAULTS: Final = {
    taint: Toleration(key=taint, operator="Exists", effect="NoExecute", tolerationSeconds=_SECONDS)
    for taint in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
}
"""The default toleration for each taint. All pods share these objects, because tolerations are never modified."""


class DefaultTolerationSeconds(Plugin):
    """Admission plugin that lets pods tolerate not-ready and unreachable nodes for five minutes.

    Source: ``plugin/pkg/admission/defaulttolerationseconds``.
    """

    name: ClassVar[str] = "DefaultTolerationSeconds"

    async def mutate(self, attributes: Attributes) -> None:
        """Tolerate the not-ready and unreachable taints for 300 seconds, unless the pod already tolerates them."""
        pod = attributes.new
        if attributes.operation == "DELETE" or attributes.subresource or not isinstance(pod, Pod):
            return
        tolerations = pod.spec.tolerations
        if not tolerations:
            pod.spec.tolerations = [*_DEFAULTS.values()]
            return
        missing = [taint for taint in _DEFAULTS if not any(_tolerates(t, taint) for t in tolerations)]
        if missing:
            pod.spec.tolerations = [*tolerations, *map(_DEFAULTS.__getitem__, missing)]


def _tolerates(toleration: Toleration, taint: str) -> bool:
    return toleration.key in ("", taint) and toleration.effect in ("", "NoExecute")
