"""Rights that updates of a claim's status need in addition to the right to update the status (KEP-5677).

Schedulers and drivers share the ``status`` subresource. Two subresources that exist only for authorizers,
``resourceclaims/binding`` and ``resourceclaims/driver``, keep each from writing the fields of the other. Source:
``pkg/registry/resource/utils.go``.
"""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden
from memkube.apimachinery.names import is_dns1123_subdomain
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector
from memkube.apis.resource.v1.resourceclaims.status_types import AllocatedDeviceStatus, ResourceClaimStatus
from memkube.registry.declarations.authorization import Attributes, forbidden_request
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.service_account_users import node_of_account

_STATUS: Final = FieldPath("status")


async def authorize_binding(
    stores: Stores, new: ResourceClaimStatus, old: ResourceClaimStatus, context: WriteContext
) -> list[FieldError]:
    """Return an error if the update changes ``allocation`` or ``reservedFor`` and the user may not bind claims."""
    if (new.allocation, new.reservedFor) == (old.allocation, old.reservedFor):
        return []
    attributes = _attributes(context, _verb(context), "binding")
    why = await _refusal(stores, attributes, context)
    if why is None:
        return []
    needed = f'resource="resourceclaims/binding", verb="{attributes.verb}" permission'
    detail = f"changing status.allocation or status.reservedFor requires {needed}: {why}"
    return [forbidden(str(_STATUS.child("allocation")), detail)]


async def authorize_devices(
    stores: Stores, new: ResourceClaimStatus, old: ResourceClaimStatus, context: WriteContext
) -> list[FieldError]:
    """Return an error for each driver whose entries in ``devices`` the update changes without the right to do so.

    A service account on the node of the allocated devices needs the right for this node only.
    """
    verbs = [f"arbitrary-node:{_verb(context)}"]
    node = _only_node(new.allocation.nodeSelector) if new.allocation is not None else ""
    if node and not is_dns1123_subdomain(node) and node_of_account(context.user) == node:
        verbs.insert(0, f"associated-node:{_verb(context)}")
    errors = []
    for driver in sorted(_changed_drivers(new.devices, old.devices)):
        refusals = []
        for verb in verbs:
            why = await _refusal(stores, _attributes(context, verb, "driver", context.namespace, driver), context)
            if why is None:
                break
            refusals.append(why)
        else:
            needed = f'resource="resourceclaims/driver", verb="[{" ".join(verbs)}]" permission'
            detail = f"changing status.devices requires {needed}: {refusals[0]}"
            errors.append(forbidden(str(_STATUS.child("devices")), detail))
    return errors


def _verb(context: WriteContext) -> str:
    return "patch" if context.is_patch else "update"


def _attributes(context: WriteContext, verb: str, subresource: str, namespace: str = "", name: str = "") -> Attributes:
    return Attributes(context.user, verb, namespace, "resource.k8s.io", "v1", "resourceclaims", subresource, name)


async def _refusal(stores: Stores, attributes: Attributes, context: WriteContext) -> str | None:
    """Return the error message if the authorizer does not allow the request `attributes`; None if it does.

    An allowed right is added to the list of rights in `context` that the update has used.
    """
    decision = await stores.kind_services.authorizer.decide(attributes)
    if decision.allowed:
        context.rights.append(attributes.right)
        return None
    return forbidden_request(attributes, ": ".join(filter(None, (decision.error, decision.reason)))).message


def _changed_drivers(new: Iterable[AllocatedDeviceStatus], old: Iterable[AllocatedDeviceStatus]) -> set[str]:
    """Return the drivers of the entries that were added, removed or changed."""
    before, after = (
        {(each.driver, each.pool, each.device, each.shareID): each for each in side} for side in (old, new)
    )
    return {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _only_node(selector: NodeSelector | None) -> str:
    """Return the node name if `selector` selects exactly one node by ``metadata.name``; otherwise ""."""
    if selector is None or len(selector.nodeSelectorTerms) != 1:
        return ""
    [term] = selector.nodeSelectorTerms
    if term.matchExpressions or len(term.matchFields) != 1:
        return ""
    [field] = term.matchFields
    is_name = field.key == "metadata.name" and field.operator == "In" and len(field.values) == 1
    return field.values[0] if is_name else ""
