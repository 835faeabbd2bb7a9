"""The headers in which an authenticating proxy names the user (apiserver ``authentication/request/headerrequest``)."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from memkube.apimachinery.go_strings import go_string
from memkube.auth.authentication.header_keys import unescaped_key
from memkube.registry.declarations.authentication import with_group_of_authenticated
from memkube.registry.declarations.request_options import User

Header = tuple[bytes, bytes]


class RequestHeaderOptions(NamedTuple):
    """Options for authenticating proxies (kube-apiserver's ``--requestheader-…``)."""

    client_ca_file: Path
    """PEM file with the certificate authorities that verify the proxies' certificates."""
    allowed_names: tuple[str, ...] = ()
    """Common names that proxies' certificates may have; empty to allow any name."""
    username_headers: tuple[str, ...] = ()
    """Names of headers with the user name. The first of them that is not empty counts."""
    uid_headers: tuple[str, ...] = ()
    """Names of headers with the uid of the user. The first of them that is not empty counts."""
    group_headers: tuple[str, ...] = ()
    """Names of headers with groups of the user, all of which count."""
    extra_prefixes: tuple[str, ...] = ()
    """Prefixes of the names of headers with extra values of the user."""


_STANDARD: Final = ((b"x-remote-user", b"x-remote-uid", b"x-remote-group"), (b"x-remote-extra-",))


class UserHeaders:
    """Reads the headers that name a user, and removes them from requests."""

    def __init__(self, options: RequestHeaderOptions | None) -> None:
        """Store the names of the headers that `options` name.

        If there are no options, authenticating proxies are not accepted: no header names a user. The standard headers
        ``X-Remote-…`` are removed from requests in any case. Raises ValueError with a one-line message if the name of a
        header is empty.
        """
        self._names = _lowered("username-headers", options.username_headers if options else ())
        self._uids = _lowered("uid-headers", options.uid_headers if options else ())
        self._groups = _lowered("group-headers", options.group_headers if options else ())
        self._prefixes = _lowered("extra-headers-prefix", options.extra_prefixes if options else ())
        self._removed = frozenset((*_STANDARD[0], *self._names, *self._uids, *self._groups, b"authorization"))
        self._removed_prefixes = (*_STANDARD[1], *self._prefixes)

    def user_of(self, headers: Sequence[Header]) -> User | None:
        """Return the user that a proxy names in the headers of a request; None if it names no user."""
        name = _first(headers, self._names)
        if not name:
            return None
        groups = [_all(headers, group) for group in self._groups]
        extra: dict[str, tuple[str, ...]] = {}
        for prefix in self._prefixes:
            for header, value in headers:
                if header.startswith(prefix):
                    key = unescaped_key(header[len(prefix) :])
                    extra[key] = (*extra.get(key, ()), go_string(value))
        user = User(name, _first(headers, self._uids), tuple(group for some in groups for group in some), extra)
        return with_group_of_authenticated(user)

    def removed_from(self, headers: Iterable[Header]) -> list[Header]:
        """Return the headers of a request without those that name a user, and without Authorization."""
        removed, prefixes = self._removed, self._removed_prefixes
        return [header for header in headers if header[0] not in removed and not header[0].startswith(prefixes)]


def _lowered(option: str, names: Sequence[str]) -> tuple[bytes, ...]:
    if not all(name.strip() for name in names):
        raise ValueError(f'empty value in "requestheader-{option}"')
    return tuple(name.strip().lower().encode() for name in names)


def _first(headers: Sequence[Header], names: Iterable[bytes]) -> str:
    """Return the value of the first header among `names` that is present and not empty, else an empty text."""
    for name in names:
        value = next((value for header, value in headers if header == name), b"")
        if value:
            return go_string(value)
    return ""


def _all(headers: Sequence[Header], name: bytes) -> list[str]:
    return [go_string(value) for header, value in headers if header == name and value]
