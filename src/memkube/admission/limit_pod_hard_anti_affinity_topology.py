"""LimitPodHardAntiAffinityTopology: refuses required anti-affinity in topologies other than the hostname."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import forbidden
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.declarations.admission import Attributes

_ALLOWED: Final = "kubernetes.io/hostname"


class LimitPodHardAntiAffinityTopology(Plugin):
    """Admission plugin that refuses required pod anti-affinity in topologies other than the hostname.

    Source: ``plugin/pkg/admission/antiaffinity``.
    """

    name: ClassVar[str] = "LimitPodHardAntiAffinityTopology"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a pod with required anti-affinity whose topologyKey is not ``kubernetes.io/hostname``."""
        pod = attributes.new
        if attributes.subresource or not isinstance(pod, Pod):
            return
        affinity = pod.spec.affinity
        if affinity is None or affinity.podAntiAffinity is None:
            return
        for term in affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution:
            if term.topologyKey != _ALLOWED:
                what = "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey"
                why = f"{what} {term.topologyKey} but only key {_ALLOWED} is allowed"
                raise forbidden(attributes.resource.group_resource, pod.metadata.name, why)
