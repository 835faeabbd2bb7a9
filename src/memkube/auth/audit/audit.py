"""The rights that the users in the request log needed for their requests."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.auth.audit.roles import RoleForm, UserAudit, roles_for
from memkube.auth.audit.rules import without_covered
from memkube.auth.audit.text import audit_text
from memkube.registry.declarations.request_options import MASTERS, Right, User
from memkube.telemetry.request_log import RequestLog, RequestRecord

_UNAUTHENTICATED: Final = 401
_WILDCARDS: Final = "*?["
_IMPERSONATE: Final = "impersonate"
_DEFAULT_FORM: Final = RoleForm()


class AuditQuery(NamedTuple):
    """Conditions that select requests for an audit. Texts may contain the wildcards ``*``, ``?`` and ``[...]``."""

    user: str = ""
    """Name of the user, such as ``system:serviceaccount:shop:operator``.

    Empty for all users, except those in the group ``system:masters``, who need no roles.
    """
    agent: str = ""
    """User agent of the client: either the whole header or its part before the slash; empty for all clients."""
    namespace: str = ""
    """Namespace of the requests. If empty, all requests are audited, including those for cluster-scoped resources."""
    refused: bool = False
    """True to return only the rights that users lacked when a request was refused; False to return all needed rights.
    """
    after: int = 0
    """Number of an answered request. Only requests that were answered later, or are in flight, are audited."""


@dataclass(frozen=True, slots=True)
class Audit:
    """For each user in the request log, roles that allow the user's requests.

    ``str(audit)`` is YAML for ``kubectl apply``.
    """

    users: list[UserAudit]
    """The users with the roles that their requests need, sorted by name. Users who need no roles are left out."""
    complete: bool = True
    """False if the log was full and dropped older requests, so that the roles may lack rights."""

    @property
    def roles(self) -> list[Document]:
        """The roles and bindings of all users, which ``kube.apply`` accepts."""
        return [role for user in self.users for role in user.roles]

    def __str__(self) -> str:
        return audit_text(self.users)


@dataclass(slots=True)
class _Found:
    rights: set[Right] = field(default_factory=set)
    requests: int = 0
    refused: int = 0


def audit(log: RequestLog, query: AuditQuery, form: RoleForm = _DEFAULT_FORM) -> Audit:
    """Return the roles that users need for their requests in the log.

    `query` selects the requests. `form` has the name and the subject of the roles, and says for which namespaces and
    objects they are valid. If the query names one client and `form` has no name, the client's name is the name of the
    roles.
    """
    if query.agent and not form.name and not any(wildcard in query.agent for wildcard in _WILDCARDS):
        form = form._replace(name=query.agent)
    found: dict[str, _Found] = {}
    for record in log.records():
        if record.is_internal or record.code == _UNAUTHENTICATED or not _is_meant(record, query):
            continue
        for user, rights in _needed(record, refused=query.refused):
            if not rights or not _is_audited(user, query.user):
                continue
            of_user = found.setdefault(user.name, _Found())
            of_user.requests += 1
            of_user.refused += bool(record.denied)
            of_user.rights.update(right for right in rights if _is_within(right, query.namespace))
    audited = {user: (of_user, without_covered(of_user.rights)) for user, of_user in found.items()}
    users = [
        UserAudit(user, of_user.requests, of_user.refused, roles_for(user, rights, form))
        for user, (of_user, rights) in sorted(audited.items())
        if rights
    ]
    return Audit(users, log.dropped <= query.after)


def _is_meant(record: RequestRecord, query: AuditQuery) -> bool:
    if query.refused and not record.denied:
        return False
    if not record.in_flight and record.number <= query.after:
        return False
    return not query.agent or any(fnmatchcase(one, query.agent) for one in (record.client, record.user_agent))


def _is_audited(user: User, wanted: str) -> bool:
    """True if the name of the user matches `wanted`.

    If `wanted` is empty, all users match except members of ``system:masters``.
    """
    return fnmatchcase(user.name, wanted) if wanted else MASTERS not in user.groups


def _is_within(right: Right, namespace: str) -> bool:
    return not namespace or fnmatchcase(right.namespace, namespace)


def _needed(record: RequestRecord, *, refused: bool) -> Iterator[tuple[User, list[Right]]]:
    """Yield a user and the rights that this user needs for the request of `record`, for each user of the request.

    The first user is the one by whose rights the request was served: the impersonated user, or else the client. The
    second one, if the request impersonates a user, is the client, with its rights to impersonate. If `refused` is True,
    only the first user is yielded, and only with the rights that were missing.
    """
    user, impersonator = record.user, record.user.impersonator
    # If impersonation was denied, the request was not carried out, so the impersonated user needs no rights for it.
    is_made = not any(right.verb == _IMPERSONATE for right in record.denied)
    yield user, [*record.needed, *record.denied] if is_made and not refused else list(record.denied)
    if impersonator is not None and not refused:
        yield impersonator.user, list(impersonator.rights)
