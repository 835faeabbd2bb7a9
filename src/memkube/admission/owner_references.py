"""OwnerReferencesPermissionEnforcement: users need rights to set owners, and to block the deletion of owners."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.interface import Attributes as AuthorizationAttributes
from memkube.auth.authorization.interface import Decision, NotAllowed
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.kinds import KindName

_NO_RIGHT_TO_DELETE: Final = "cannot set an ownerRef on a resource you can't delete"
_NO_RIGHT_TO_BLOCK: Final = (
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
)


class OwnerReferencesPermissionEnforcement(Plugin):
    """Admission plugin that refuses owner references which the user may not set.

    An owner reference that blocks the deletion of the owner (blockOwnerDeletion) requires the right to set the owner's
    finalizers. Source: ``plugin/pkg/admission/gc``.
    """

    name: ClassVar[str] = "OwnerReferencesPermissionEnforcement"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a change of ownerReferences by a user who lacks the rights for it.

        The user must be allowed to delete the object, and to set finalizers of the owners whose deletion the object
        blocks.
        """
        # As in kube-apiserver, writes to ``pods/status`` are not checked, because they cannot change the owners.
        if (attributes.resource.group, attributes.resource.plural, attributes.subresource) == ("", "pods", "status"):
            return
        new, old = attributes.new, attributes.old
        if not isinstance(new, ApiObject):
            return
        before = [] if old is None else old.metadata.ownerReferences
        if new.metadata.ownerReferences == before:
            return
        if attributes.operation != "CREATE":
            await self._require(attributes, _deletion(attributes), _NO_RIGHT_TO_DELETE)
        await self._check_blocked(attributes, _newly_blocked(new.metadata.ownerReferences, before))

    async def _check_blocked(self, attributes: Attributes, owners: list[OwnerReference]) -> None:
        """Raise ApiError unless the user of the request may set the finalizers of each of the objects `owners`."""
        everything = AuthorizationAttributes(attributes.context.user, "update", "", "*", "*", "*", "finalizers", "*")
        may_finalize_all = bool(owners) and (await self._decide(everything)).allowed
        for owner in owners:
            asked = self._finalization(attributes, owner)
            if asked is not None and may_finalize_all:
                attributes.context.rights.append(asked.right)
            elif asked is not None:
                await self._require(attributes, asked, _NO_RIGHT_TO_BLOCK)
            elif not may_finalize_all:
                raise refused(attributes, _unknown(owner))

    def _finalization(self, attributes: Attributes, owner: OwnerReference) -> AuthorizationAttributes | None:
        """Return the authorization attributes for setting an owner's finalizers; None if its kind is not served."""
        resource = self._registry.catalog.of_kind(KindName.of(owner.apiVersion, owner.kind))
        if resource is None:
            return None
        namespace = attributes.namespace if resource.namespaced else ""
        user, group, version = attributes.context.user, resource.group, resource.version
        return AuthorizationAttributes(
            user, "update", namespace, group, version, resource.plural, "finalizers", owner.name
        )

    async def _require(self, attributes: Attributes, asked: AuthorizationAttributes, why: str) -> None:
        attributes.context.rights.append(asked.right)
        decision = await self._decide(asked)
        if not decision.allowed:
            error = refused(attributes, f"{why}: {decision.reason}, {decision.error or '<nil>'}")
            raise NotAllowed.of(error, asked.right)

    async def _decide(self, asked: AuthorizationAttributes) -> Decision:
        return await self._registry.kind_services.authorizer.decide(asked)


def _deletion(attributes: Attributes) -> AuthorizationAttributes:
    resource = attributes.resource
    return AuthorizationAttributes(
        attributes.context.user,
        "delete",
        attributes.namespace,
        resource.group,
        resource.version,
        resource.plural,
        attributes.subresource,
        attributes.name,
    )


def _newly_blocked(new: list[OwnerReference], old: list[OwnerReference]) -> list[OwnerReference]:
    """Return the owners whose deletion the object blocks now and did not block before."""
    known = {owner.uid for owner in old if owner.blockOwnerDeletion}
    return [owner for owner in new if owner.blockOwnerDeletion and owner.uid not in known]


def _unknown(owner: OwnerReference) -> str:
    what = f"cannot find RESTMapping for APIVersion {owner.apiVersion} Kind {owner.kind}"
    error = f"no matches for kind {quoted(owner.kind)} in version {quoted(owner.apiVersion)}"
    return f"cannot set blockOwnerDeletion in this case because {what}: {error}"
