"""Authorization of impersonation: which users a client may impersonate, and for which requests.

A client may impersonate a user if one of five modes allows it: the four modes of constrained impersonation (KEP-5284),
with verbs such as ``impersonate:user-info`` and ``impersonate-on:user-info:list``, and the legacy mode with the verb
``impersonate``. Source: apiserver ``endpoints/filters/impersonation`` (mode.go, constrained_impersonation.go).
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.field_errors import FieldPath, aggregate_message
from memkube.apimachinery.meta.validation.prefixed_paths import prefixed_path_errors
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.interface import Attributes, Authorizer, NotAllowed, forbidden_request
from memkube.registry.declarations.request_options import (
    ANONYMOUS,
    AUTHENTICATED,
    MASTERS,
    NODES,
    SERVICE_ACCOUNTS,
    UNAUTHENTICATED,
    Right,
    User,
)
from memkube.registry.declarations.service_account_users import account_of, node_of_account

_AUTHENTICATION: Final = ("authentication.k8s.io", "v1")
_CORE: Final = ("", "v1")
_NODE_KEYS: Final = "authentication.kubernetes.io/associated-node-keys"
_IMPERSONATE: Final = "impersonate"
_NODE: Final = "system:node:"
_MANY: Final = 4
"""Minimum number of groups or extra values for which the server first asks for the right to impersonate them all."""
_REMEMBERED: Final = 10_000
"""Maximum number of clients whose last successful mode of impersonation is cached."""


class Impersonated(NamedTuple):
    """A user that a request impersonates, and the verb of constrained impersonation that allowed it, if any."""

    user: User
    constraint: str = ""
    """The verb of constrained impersonation, such as ``impersonate:user-info``; "" for unlimited impersonation."""


class Impersonation:
    """Decides whether a client may impersonate a user."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer
        self._last: OrderedDict[str, int] = OrderedDict()

    async def authorized(self, wanted: User, attributes: Attributes) -> "Impersonated":
        """Return the user that the request with these attributes impersonates, with the implied groups.

        `wanted` is the user that the headers name. The modes of impersonation that can apply to this user, constrained
        and legacy, are tried one after the other, beginning with the one that last succeeded for the client. If all
        of them refuse, ApiError 403 is raised with the first refusal.
        """
        client = attributes.user.name
        last = self._last.get(client)
        order = sorted(range(len(_MODES)), key=lambda index: index != last)
        refusal: ApiError | None = None
        for index in order:
            mode = _MODES[index]
            if not mode.applies(wanted, attributes.user):
                continue
            try:
                user = await _ModeCheck(self._authorizer, mode, attributes).allowed(wanted)
            except ApiError as error:
                refusal = refusal or error
            else:
                self._remember(client, index)
                return Impersonated(user, mode.verb if mode.name else "")
        assert refusal is not None, "the legacy mode applies to all users"
        raise NotAllowed.of(refusal, *rights_to_impersonate(wanted))

    def _remember(self, client: str, index: int) -> None:
        self._last[client] = index
        self._last.move_to_end(client)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)


class _Mode(NamedTuple):
    """A mode of impersonation, such as ``user-info`` or the legacy mode: when it applies and which right it needs."""

    name: str
    """Name of the mode in the verb, as ``user-info`` in ``impersonate:user-info``; empty for the legacy mode."""
    applies: Callable[[User, User], bool]
    """Function that returns True if the second user can use the mode to impersonate the first user."""
    to_authorizer_attributes: Callable[[Attributes], Attributes] = lambda attributes: attributes
    """Function that converts the attributes of the right to impersonate to those that are passed to the authorizer."""

    @property
    def verb(self) -> str:
        """The verb that the client must be allowed on the impersonated user, group, uid or extra value."""
        return f"{_IMPERSONATE}:{self.name}" if self.name else _IMPERSONATE


class _ModeCheck:
    """Checks if the client of a request may impersonate a user in one mode, such as ``user-info``.

    The checks raise ApiError 403 if the client lacks a right that the mode requires.
    """

    def __init__(self, authorizer: Authorizer, mode: _Mode, attributes: Attributes) -> None:
        self._authorizer = authorizer
        self._mode = mode
        self._request = attributes

    async def allowed(self, wanted: User) -> User:
        """Check all rights that the client needs to impersonate the user `wanted` in this mode.

        Returns the user with the groups that follow from its name, such as ``system:authenticated``. Raises ApiError
        403 if the client lacks a right.
        """
        if self._mode.name:
            verb = f"impersonate-on:{self._mode.name}:{self._request.verb}"
            await self._require(self._request._replace(verb=verb))
        groups = await self._check_name(wanted)
        if wanted.uid:
            await self._require(self._right("uids", wanted.uid))
        if wanted.groups:
            await self._check_groups(wanted.groups)
        if wanted.extra:
            await self._check_extra(wanted.extra)
        return with_implied_group(replace(wanted, groups=groups))

    async def _check_name(self, wanted: User) -> tuple[str, ...]:
        """Check the right to impersonate the name of the user `wanted`, and return the groups of this user.

        In a constrained mode, a node has the group ``system:nodes``. Otherwise, the groups are those in the request's
        headers; if there are none, a service account has the groups of its namespace. Raises ApiError 403 if the client
        lacks the right.
        """
        right = self._right("users", wanted.name)
        groups = wanted.groups
        if self._mode.name and (node := node_of(wanted.name)):
            right, groups = self._right("nodes", node), (NODES,)
        elif account := account_of(wanted.name):
            namespace, name = account
            right = self._right("serviceaccounts", name)._replace(namespace=namespace)
            groups = groups or groups_of_account(namespace)
        await self._require(right)
        return groups

    async def _check_groups(self, groups: Sequence[str]) -> None:
        if self._mode.name:
            for group, shown in (("", "empty string"), (MASTERS, MASTERS)):
                if group in groups:
                    why = f"impersonating the {shown} group is not allowed"
                    raise forbidden_request(self._right("groups", group), why)
            if len(groups) >= _MANY and await self._has(self._right("groups", "*")):
                return
        for group in groups:
            await self._require(self._right("groups", group))

    async def _check_extra(self, extra: Mapping[str, Sequence[str]]) -> None:
        if self._mode.name:
            if problem := _extra_problem(extra):
                raise forbidden_request(self._right("userextras", ""), problem)
            is_large = len(extra) >= _MANY or sum(map(len, extra.values())) >= _MANY
            if is_large and await self._has(self._right("userextras", "*", "*")):
                return
        for key in sorted(extra):
            for value in extra[key]:
                await self._require(self._right("userextras", value, key))

    def _right(self, resource: str, name: str, subresource: str = "") -> Attributes:
        """Return the attributes with which to ask the authorizer for a right to impersonate.

        `resource` and `name` are, for example, ``groups`` and the name of the impersonated group. For an extra value,
        `subresource` is its key and `name` is the value.
        """
        legacy = not self._mode.name and resource in ("users", "groups", "serviceaccounts")
        group, version = _CORE if legacy else _AUTHENTICATION
        return Attributes(self._request.user, self._mode.verb, "", group, version, resource, subresource, name)

    async def _has(self, attributes: Attributes) -> bool:
        return (await self._authorizer.decide(self._mode.to_authorizer_attributes(attributes))).allowed

    async def _require(self, attributes: Attributes) -> None:
        asked = self._mode.to_authorizer_attributes(attributes)
        decision = await self._authorizer.decide(asked)
        if not decision.allowed:
            raise forbidden_request(asked, ": ".join(filter(None, (decision.error, decision.reason))))


def rights_to_impersonate(wanted: User) -> tuple[Right, ...]:
    """Return the rights with which the legacy mode lets a client impersonate the user `wanted`."""
    group = _AUTHENTICATION[0]
    account = account_of(wanted.name)
    named = Right(_IMPERSONATE, "", "users", "", wanted.name)
    if account is not None:
        named = Right(_IMPERSONATE, "", "serviceaccounts", *account)
    uid = [Right(_IMPERSONATE, group, "uids", "", wanted.uid)] if wanted.uid else []
    groups = [Right(_IMPERSONATE, "", "groups", "", name) for name in wanted.groups]
    extra = [(key, value) for key in sorted(wanted.extra) for value in wanted.extra[key]]
    extras = [Right(_IMPERSONATE, group, f"userextras/{key}", "", value) for key, value in extra]
    return (named, *uid, *groups, *extras)


def groups_of_account(namespace: str) -> tuple[str, ...]:
    """Return the groups of the service accounts in a namespace."""
    return SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}"


def node_of(name: str) -> str:
    """Return the name of the node that a user name stands for; empty for other users."""
    node = name.removeprefix(_NODE)
    return "" if node == name or subdomain_name(node) else node


def with_implied_group(user: User) -> User:
    """Return an impersonated user with the group of all authenticated, or of all unauthenticated, users."""
    if user.name == ANONYMOUS:
        implied = UNAUTHENTICATED
    elif UNAUTHENTICATED in user.groups:
        return user
    else:
        implied = AUTHENTICATED
    return user if implied in user.groups else replace(user, groups=(*user.groups, implied))


def impersonated_user(wanted: User) -> User:
    """Return the user `wanted`, which a request impersonates, with the groups that Kubernetes adds.

    This is for clients that may impersonate every user: all clients of a server that allows every request, and the
    server's own controllers. As in Kubernetes, if the client sends no groups, they follow from the user's name: those
    of a service account, for example, are ``system:serviceaccounts`` and the group of its namespace.
    """
    groups = wanted.groups
    if node_of(wanted.name) and not (wanted.uid or groups or wanted.extra):
        groups = (NODES,)
    elif not groups and (account := account_of(wanted.name)):
        groups = groups_of_account(account[0])
    return with_implied_group(replace(wanted, groups=groups))


def _extra_problem(extra: Mapping[str, Sequence[str]]) -> str:
    """Return why constrained impersonation never allows the user's extra values `extra`; empty if it may allow them."""
    for key in sorted(extra):
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        if errors := prefixed_path_errors(key, FieldPath("extra").child("key")):
            return f"impersonating an invalid key in extra is not allowed: {aggregate_message(errors)}"
        if key != key.lower():
            return f"impersonating a non-lowercase key in extra is not allowed: {quoted(key)}"
        if "" in extra[key]:
            return "impersonating the empty string value in extra is not allowed"
    return ""


def _names_only(wanted: User) -> bool:
    return not (wanted.uid or wanted.groups or wanted.extra)


def _is_associated_node(wanted: User, client: User) -> bool:
    """True if `wanted` is the node on which the client's pod runs, according to the client's service account token.

    False if the client also wants to impersonate groups, a uid or extra values.
    """
    node = node_of(wanted.name)
    return bool(node) and _names_only(wanted) and node_of_account(client) == node


def _is_node(wanted: User, client: User) -> bool:
    return _names_only(wanted) and bool(node_of(wanted.name))


def _is_account(wanted: User, client: User) -> bool:
    return _names_only(wanted) and account_of(wanted.name) is not None


def _is_other(wanted: User, client: User) -> bool:
    return not node_of(wanted.name) and account_of(wanted.name) is None


def _always(wanted: User, client: User) -> bool:
    return True


def _of_any_node(attributes: Attributes) -> Attributes:
    """Return the attributes with which the mode ``associated-node`` asks the authorizer for a right of the client.

    They name no particular node: the name of the impersonated node is replaced by ``*``, and the client's extra
    attributes by their keys.
    """
    client = attributes.user
    name = "*" if attributes.verb == "impersonate:associated-node" else attributes.name
    return attributes._replace(user=replace(client, extra={_NODE_KEYS: tuple(sorted(client.extra))}), name=name)


_MODES: Final = (
    _Mode("associated-node", _is_associated_node, _of_any_node),
    _Mode("arbitrary-node", _is_node),
    _Mode("serviceaccount", _is_account),
    _Mode("user-info", _is_other),
    _Mode("", _always),
)
