"""``/audit``: the RBAC roles that users need for the requests in the request log."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.strict_model import StrictModel
from memkube.auth.audit.audit import AuditQuery, audit
from memkube.auth.audit.roles import RoleForm
from memkube.control.server_parts import ServerParts


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class AuditedUser(_Answer):
    """A user, the number of the user's requests, how many of them were refused, and roles that allow them."""

    user: str
    requests: int = Field(description="Number of the user's requests that were selected.")
    refused: int = Field(description="How many of the `requests` were refused because the user lacks a right.")
    roles: list[dict[str, Any]] = Field(
        description="Roles and ClusterRoles that allow the requests, and the bindings that grant them."
    )


class AuditAnswer(_Answer):
    """The roles that users need for the selected requests, without rights that all authenticated users have."""

    users: list[AuditedUser]
    complete: bool = Field(
        description="False if the request log was full and has dropped older requests: the roles may lack rights."
    )


class Audited(StrictModel):
    """Selects the requests to find RBAC roles for, and says how to write these roles.

    ``*``, ``?`` and ``[...]`` are wildcards.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    who: str = Field(
        default="",
        description="Only requests of this user, such as system:serviceaccount:shop:operator; of all users if empty.",
    )
    agent: str = Field(
        default="",
        description="Only requests with this user agent, given in full or up to the slash; of all clients if empty.",
    )
    namespace: str = ""
    refused: bool = Field(
        default=False, description="True to show only the rights that users lacked when requests were refused."
    )
    after: int = Field(
        default=0,
        ge=0,
        description="Only requests that were answered after the request with this number, and requests in progress.",
    )
    names: bool = Field(
        default=False, description="True to limit the rules by resourceNames to the objects in the requests."
    )
    cluster_wide: bool = Field(
        default=False, description="True to create one ClusterRole instead of a Role in each namespace."
    )
    subject: str = Field(
        default="", description="User to which the roles are bound; by default, the user that sent the requests."
    )


def audit_router(parts: ServerParts) -> APIRouter:
    """Return the route that shows which roles clients need."""
    router = APIRouter(prefix="/audit", tags=["requests"])

    @router.get("")
    async def show(audited: Annotated[Audited, Query()]) -> AuditAnswer:
        """Shows the smallest roles that would have allowed the selected requests."""
        query = AuditQuery(audited.who, audited.agent, audited.namespace, audited.refused, audited.after)
        form = RoleForm("", audited.subject, audited.names, audited.cluster_wide)
        return AuditAnswer.model_validate(audit(parts.request_log, query, form))

    return router
