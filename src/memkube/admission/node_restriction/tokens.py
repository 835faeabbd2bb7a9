"""Rules for service account tokens: a kubelet may only request tokens for the pods on its node.

The audience of the token must be one that a volume of the pod needs, or one for which the authorizer lets the kubelet
request tokens.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memkube.admission.node_restriction.lookups import look_up
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.auth.authorization.interface import Attributes as AuthorizationAttributes
from memkube.auth.authorization.interface import NotAllowed
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.registry import Registry

_MIGRATED: Final = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "azureDisk": "disk.csi.azure.com",
    "azureFile": "file.csi.azure.com",
    "cinder": "cinder.csi.openstack.org",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "portworxVolume": "pxd.portworx.com",
    "vsphereVolume": "csi.vsphere.vmware.com",
}
"""CSI driver that replaces an in-tree volume source, by the source's field name (``csi-translation-lib``)."""


class TokenRules:
    """Checks whether a kubelet may request a token through the subresource ``serviceaccounts/token``."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def check(self, node: str, attributes: Attributes) -> None:
        """Raise ApiError (403) if a kubelet may not request this token.

        The token must be bound to a pod on the kubelet's node, by the pod's name and UID, and must not have several
        audiences. Its audience must be one that a volume of the pod needs or that the authorizer allows. If an object
        that is needed for these checks is missing, the request is refused too.
        """
        if attributes.operation != "CREATE" or attributes.subresource != "token":
            return
        # `request` has the type Any, because this module must not import the types of the authentication group.
        request: Any = attributes.new
        bound = request.spec.boundObjectRef
        if bound is None or (bound.apiVersion, bound.kind) != ("v1", "Pod") or not bound.name:
            raise refused(attributes, "node requested token not bound to a pod")
        if not bound.uid:
            raise refused(attributes, "node requested token with a pod binding without a uid")
        pod = Pod.from_document(await self._document("", "pods", attributes.namespace, bound.name))
        if bound.uid != pod.metadata.uid:
            what = f"the UID in the bound object reference ({bound.uid}) does not match the UID in record"
            raise refused(attributes, f"{what}. The object might have been deleted and then recreated")
        if pod.spec.nodeName != node:
            raise refused(attributes, "node requested token bound to a pod scheduled on a different node")
        await self._check_audience(attributes, pod, request.spec.audiences)

    async def _check_audience(self, attributes: Attributes, pod: Pod, audiences: Sequence[str]) -> None:
        if len(audiences) > 1:
            raise refused(attributes, "node may only request 0 or 1 audiences")
        audience = audiences[0] if audiences else ""
        faults: list[str] = []
        for volume in pod.spec.volumes:
            try:
                if await self._needs_token_for(volume, pod, audience):
                    return
            except ApiError as error:
                faults.append(error.message)
        if faults:
            distinct = list(dict.fromkeys(faults))
            why = distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
            raise refused(attributes, f"error validating audience {quoted(audience)}: {why}")
        await self._require_right(attributes, audience)

    async def _require_right(self, attributes: Attributes, audience: str) -> None:
        """Raise ApiError (403) unless the authorizer lets the kubelet request tokens for an audience.

        The authorizer is asked about the verb ``request-serviceaccounts-token-audience``. The attributes have the
        audience in the place of the resource, and the service account as the object's name.
        """
        user = attributes.context.user
        verb, namespace, account = "request-serviceaccounts-token-audience", attributes.namespace, attributes.name
        asked = AuthorizationAttributes(user, verb, namespace, "", "v1", audience, "", account)
        attributes.context.rights.append(asked.right)
        decision = await self._registry.kind_services.authorizer.decide(asked)
        if decision.allowed:
            return
        what = f"audience {quoted(audience)} not found in pod spec volume"
        why = f"{user.name} is not authorized to request tokens for this audience"
        if decision.error:
            why = f"error authorizing {user.name} to request tokens for this audience: {decision.error}"
        raise NotAllowed.of(refused(attributes, f"{what}, {why}"), asked.right)

    async def _needs_token_for(self, volume: Volume, pod: Pod, audience: str) -> bool:
        """True if a volume needs tokens for an audience: a projected volume, or one whose CSI driver requests them.

        Raises ApiError if an object to which the volume refers is missing.
        """
        for source in volume.projected.sources if volume.projected else ():
            if source.serviceAccountToken is not None and source.serviceAccountToken.audience == audience:
                return True
        driver = await self._driver(volume, pod)
        if not driver:
            return False
        spec = (await self._document("storage.k8s.io", "csidrivers", "", driver)).get("spec") or {}
        return any(request.get("audience", "") == audience for request in spec.get("tokenRequests") or ())

    async def _driver(self, volume: Volume, pod: Pod) -> str:
        if volume.ephemeral is not None and volume.ephemeral.volumeClaimTemplate is not None:
            return await self._driver_of_claim(pod, f"{pod.metadata.name}-{volume.name}")
        if volume.persistentVolumeClaim is not None:
            return await self._driver_of_claim(pod, volume.persistentVolumeClaim.claimName)
        if volume.csi is not None:
            return volume.csi.driver
        return _migrated({name: getattr(volume, name) for name in _MIGRATED})

    async def _driver_of_claim(self, pod: Pod, name: str) -> str:
        claim = await self._document("", "persistentvolumeclaims", pod.metadata.namespace, name)
        volume = await self._document("", "persistentvolumes", "", claim["spec"].get("volumeName", ""))
        spec = volume["spec"]
        driver: str = spec["csi"]["driver"] if spec.get("csi") else _migrated(spec)
        return driver

    async def _document(self, group: str, plural: str, namespace: str, name: str) -> Document:
        return (await look_up(self._registry, group, plural, namespace, name)).document


def _migrated(sources: Mapping[str, Any]) -> str:
    return next((driver for name, driver in _MIGRATED.items() if sources.get(name) is not None), "")
