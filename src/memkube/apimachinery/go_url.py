"""URLs as Go's ``net/url`` reads them, with its words for what it refuses."""

import re
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.shown_values import quoted

_scheme: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_control: Final = re.compile(r"[\x00-\x1f\x7f]")
_bad_escape: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_bad_in_host: Final = re.compile(r"[^!$&'()*+,;=:\[\]<>\"A-Za-z0-9_.~\-%\x80-\U0010ffff]")
_good_userinfo: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")


@dataclass(frozen=True, slots=True)
class GoUrl:
    """The parts of a URL."""

    scheme: str
    user: str | None
    host: str
    path: str
    query: str
    fragment: str


def parse_url(text: str) -> GoUrl:
    """Reads an absolute or relative URL. Raises ValueError in Go's words."""
    try:
        return _parse(text)
    except ValueError as error:
        raise ValueError(f"parse {quoted(text)}: {error}") from None


def _parse(text: str) -> GoUrl:
    whole, _, fragment = text.partition("#")
    if _control.search(whole):
        raise ValueError("net/url: invalid control character in URL")
    _check_escapes(fragment)
    scheme, rest = _split_scheme(whole)
    rest, _, query = rest.partition("?")
    user, host = None, ""
    if not rest.startswith("/"):
        if scheme:
            return GoUrl(scheme, None, "", "", query, fragment)
        if ":" in rest.partition("/")[0]:
            raise ValueError("first path segment in URL cannot contain colon")
    elif rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        user, host = _split_authority(authority)
        rest = slash + path
    _check_escapes(rest)
    return GoUrl(scheme, user, host, rest, query, fragment)


def _split_scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    found = _scheme.match(text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def _split_authority(authority: str) -> tuple[str | None, str]:
    user, at, host = authority.rpartition("@")
    _check_host(host)
    if at and not _good_userinfo.fullmatch(user):
        raise ValueError("net/url: invalid userinfo")
    return (user if at else None), host


def _check_host(host: str) -> None:
    if host.startswith("["):
        inside, bracket, port = host.rpartition("]")
        if not bracket:
            raise ValueError("missing ']' in host")
        host = inside[1:]
    else:
        host, colon, number = host.rpartition(":") if ":" in host else (host, "", "")
        port = colon + number
    if port and not re.fullmatch(r":[0-9]*", port):
        raise ValueError(f"invalid port {quoted(port)} after host")
    _check_escapes(host)
    if found := _bad_in_host.search(host):
        raise ValueError(f"invalid character {quoted(found[0])} in host name")


def _check_escapes(text: str) -> None:
    if found := _bad_escape.search(text):
        raise ValueError(f"invalid URL escape {quoted(found[0])}")
