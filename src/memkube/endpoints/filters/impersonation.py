"""The headers with which clients impersonate users (apiserver ``endpoints/filters/impersonation``)."""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authentication.header_keys import unescaped_key
from memkube.registry.declarations.request_options import User

IMPERSONATE: Final = b"impersonate-"
"""Prefix of the impersonation headers."""
_USER: Final = b"impersonate-user"
_UID: Final = b"impersonate-uid"
_GROUP: Final = b"impersonate-group"
_EXTRA: Final = b"impersonate-extra-"


def wanted_user(headers: Iterable[tuple[bytes, bytes]]) -> User | None:
    """Return the user that a request impersonates; None if its headers name no user.

    `headers` have names in lower case. The groups that follow from the user's name are not added. Raises ApiError 400
    if the headers contain a uid, groups or extra values, but no user.
    """
    asked = [header for header in headers if header[0].startswith(IMPERSONATE)]
    name, uid = _first(asked, _USER), _first(asked, _UID)
    groups = tuple(_text(value) for key, value in asked if key == _GROUP)
    extra: dict[str, tuple[str, ...]] = {}
    for key, value in asked:
        if key.startswith(_EXTRA):
            unescaped = unescaped_key(key[len(_EXTRA) :])
            extra[unescaped] = (*extra.get(unescaped, ()), _text(value))
    if name:
        return User(name, uid, groups, extra)
    if uid or groups or extra:
        shown = _shown(uid, groups, extra)
        raise bad_request(f"requested &user.DefaultInfo{shown} without impersonating a user name")
    return None


def _first(headers: list[tuple[bytes, bytes]], name: bytes) -> str:
    return next((_text(value) for key, value in headers if key == name), "")


def _text(value: bytes) -> str:
    return go_string(value)


def _shown(uid: str, groups: tuple[str, ...], extra: Mapping[str, tuple[str, ...]]) -> str:
    """Format a user without a name, who has this uid, groups and extra values, as by Go's ``%#v``, for an error."""
    keys = ", ".join(f"{quoted(key)}:{_strings(extra[key])}" for key in sorted(extra))
    shown_extra = f"map[string][]string{{{keys}}}" if extra else "map[string][]string(nil)"
    return f'{{Name:"", UID:{quoted(uid)}, Groups:{_strings(groups)}, Extra:{shown_extra}}}'


def _strings(values: tuple[str, ...]) -> str:
    return f"[]string{{{', '.join(map(quoted, values))}}}" if values else "[]string(nil)"
