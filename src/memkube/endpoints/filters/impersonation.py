"""Impersonation of users. Any client may impersonate any user (apiserver ``endpoints/filters/impersonation``)."""

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.names import is_dns1123_subdomain, label_name, subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.request_options import (
    ANONYMOUS,
    AUTHENTICATED,
    NOBODY,
    NODES,
    SERVICE_ACCOUNTS,
    UNAUTHENTICATED,
    User,
)

IMPERSONATE: Final = b"impersonate-"
"""Prefix of the impersonation headers."""
_USER: Final = b"impersonate-user"
_UID: Final = b"impersonate-uid"
_GROUP: Final = b"impersonate-group"
_EXTRA: Final = b"impersonate-extra-"
_NODE: Final = "system:node:"
_SERVICE_ACCOUNT: Final = "system:serviceaccount:"


def user_of(headers: Iterable[tuple[bytes, bytes]]) -> User:
    """Return the user that a request impersonates. `headers` have names in lower case.

    Raises ApiError 400 if the headers name a uid, groups or extra values, but no user.
    """
    asked = [header for header in headers if header[0].startswith(IMPERSONATE)]
    return _impersonated(asked) if asked else NOBODY


def _impersonated(headers: list[tuple[bytes, bytes]]) -> User:
    name, uid = _first(headers, _USER), _first(headers, _UID)
    groups = tuple(_text(value) for key, value in headers if key == _GROUP)
    extra: dict[str, tuple[str, ...]] = {}
    for key, value in headers:
        if key.startswith(_EXTRA):
            unescaped = _unescaped(key[len(_EXTRA) :])
            extra[unescaped] = (*extra.get(unescaped, ()), _text(value))
    if name:
        return User(name, uid, _with_implied(name, groups, is_bare=not (uid or groups or extra)), extra)
    if uid or groups or extra:
        shown = _shown(uid, groups, extra)
        raise bad_request(f"requested &user.DefaultInfo{shown} without impersonating a user name")
    return NOBODY


def _with_implied(name: str, groups: tuple[str, ...], *, is_bare: bool) -> tuple[str, ...]:
    """Return the groups of an impersonated user.

    If the client names no groups, these are the groups that Kubernetes derives from the user's name, such as those of a
    service account.
    """
    if is_bare and name.startswith(_NODE) and not subdomain_name(name.removeprefix(_NODE)):
        groups = (NODES,)
    elif not groups and (namespace := _account_namespace(name)):
        groups = (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")
    if name == ANONYMOUS:
        implied = UNAUTHENTICATED
    elif UNAUTHENTICATED in groups:
        return groups
    else:
        implied = AUTHENTICATED
    return groups if implied in groups else (*groups, implied)


def _account_namespace(name: str) -> str:
    """Return the namespace of the service account that a user name stands for, or "" for other users."""
    if not name.startswith(_SERVICE_ACCOUNT):
        return ""
    namespace, _, account = name.removeprefix(_SERVICE_ACCOUNT).partition(":")
    return "" if label_name(namespace) or is_dns1123_subdomain(account) else namespace


def _first(headers: list[tuple[bytes, bytes]], name: bytes) -> str:
    return next((_text(value) for key, value in headers if key == name), "")


def _text(value: bytes) -> str:
    return go_string(value)


def _unescaped(key: bytes) -> str:
    """Decode the percent-encoded key of an extra value; a malformed key is used as it is."""
    escapes = key.split(b"%")[1:]
    well_formed = all(len(escape) > 1 and _is_hex(escape[:2]) for escape in escapes)
    return _text(unquote_to_bytes(key) if well_formed else key)


def _is_hex(digits: bytes) -> bool:
    return all(digit in b"0123456789abcdef" for digit in digits)


def _shown(uid: str, groups: tuple[str, ...], extra: Mapping[str, tuple[str, ...]]) -> str:
    """Format the fields of a user as Go's ``%#v`` does, for an error message."""
    keys = ", ".join(f"{quoted(key)}:{_strings(extra[key])}" for key in sorted(extra))
    shown_extra = f"map[string][]string{{{keys}}}" if extra else "map[string][]string(nil)"
    return f'{{Name:"", UID:{quoted(uid)}, Groups:{_strings(groups)}, Extra:{shown_extra}}}'


def _strings(values: tuple[str, ...]) -> str:
    return f"[]string{{{', '.join(map(quoted, values))}}}" if values else "[]string(nil)"
