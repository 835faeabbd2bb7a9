"""Parsing of URLs, with the results and errors of Go's ``net/url``."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from memkube.apimachinery.go_netip import parse_addr
from memkube.apimachinery.shown_values import quoted

_scheme: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_control: Final = re.compile(r"[\x00-\x1f\x7f]")
_bad_escape: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_BROKEN_ESCAPE: Final = r"%(?:[^0-9A-Fa-f].?|.[^0-9A-Fa-f]|.?\Z)"
_NOT_IN_HOST: Final = r"[^!$&'()*+,;=:\[\]<>\"A-Za-z0-9_.~\-%\x80-\U0010ffff]"
_bad_in_host: Final = re.compile(f"(?P<escape>{_BROKEN_ESCAPE}|%(?!25)[0-7].)|(?P<character>{_NOT_IN_HOST})", re.DOTALL)
_bad_in_zone: Final = re.compile(f"(?P<escape>{_BROKEN_ESCAPE})|(?P<character>{_NOT_IN_HOST})", re.DOTALL)
_escape: Final = re.compile("%[0-9A-Fa-f]{2}")
_port: Final = re.compile(r"(?::[0-9]*)?")
_good_userinfo: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_ordinary_path: Final = re.compile(r"[A-Za-z0-9\-_.~$&+,/:;=@!'()*\[\]%]*")
_ordinary_fragment: Final = re.compile(r"[A-Za-z0-9\-_.~$&+,/:;=@?!'()*\[\]%]*")
_HOST_CHARACTERS: Final = "!$&'()*+,;=:[]<>\""
_PATH_CHARACTERS: Final = "$&+,/:;=@"
_FRAGMENT_CHARACTERS: Final = "$&+,/:;=?@!()*"
_USER_CHARACTERS: Final = "$&+,;="
_MOST_PARAMETERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class GoUrl:
    """Parts of a URL. The host is unescaped; all other parts are escaped.

    `opaque` is the text after the scheme if no slash follows the scheme, such as ``a@b`` in ``mailto:a@b``. `slashes`
    is true if the URL contains ``//`` before the host, and `asks` is true if the URL ends with ``?``.
    """

    scheme: str
    user: str | None
    host: str
    path: str
    query: str
    fragment: str = ""
    opaque: str = ""
    slashes: bool = True
    asks: bool = False

    @property
    def hostname(self) -> str:
        """Host without port and brackets."""
        name = self.host.removesuffix(f":{self.port}") if self._has_port else self.host
        return name[1:-1] if name.startswith("[") and name.endswith("]") else name

    @property
    def port(self) -> str:
        """Port as written; "" if the URL has none."""
        return self.host.rpartition(":")[2] if self._has_port else ""

    @property
    def _has_port(self) -> bool:
        _, colon, digits = self.host.rpartition(":")
        return bool(colon) and _port.fullmatch(f":{digits}") is not None

    @property
    def parameters(self) -> dict[str, list[str]]:
        """Values of the query parameters by name.

        Malformed parameters are left out. The result is empty if the query has more parameters than Go allows.
        """
        found: dict[str, list[str]] = {}
        if self.query.count("&") >= _MOST_PARAMETERS:
            return found
        for parameter in self.query.split("&"):
            name, _, value = parameter.partition("=")
            if parameter and ";" not in parameter and not _bad_escape.search(parameter):
                found.setdefault(_decoded(name.replace("+", " ")), []).append(_decoded(value.replace("+", " ")))
        return found

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            text += self.opaque
        else:
            no_host = not self.host and self.user is None
            if not no_host or (self.scheme and self.slashes and self.path):
                text += "//"
            if self.user is not None:
                text += ":".join(_encoded(_decoded(part), _USER_CHARACTERS) for part in self.user.split(":", 1)) + "@"
            text += _encoded(self.host, _HOST_CHARACTERS)
            escaped = not self.slashes and no_host and self.path.startswith("//")
            text += f"%2F{self.path[1:]}" if escaped else self.path
        text += f"?{self.query}" if self.asks or self.query else ""
        return text + (f"#{self.fragment}" if self.fragment else "")


def parse_url(text: str) -> GoUrl:
    """Parse an absolute or relative URL (``Parse``). Raises ValueError with Go's message if the text is malformed."""
    whole, _, fragment = text.partition("#")
    try:
        found = _parse(whole, via_request=False)
    except ValueError as error:
        raise ValueError(f"parse {quoted(whole)}: {error}") from None
    try:
        return replace(found, fragment=_normal_fragment(fragment))
    except ValueError as error:
        raise ValueError(f"parse {quoted(text)}: {error}") from None


def parse_request_uri(text: str) -> GoUrl:
    """Parse an absolute URL, or a path without a host, as Go does for request lines (``ParseRequestURI``).

    A fragment is not split off. Raises ValueError with Go's message if the text is malformed.
    """
    try:
        return _parse(text, via_request=True)
    except ValueError as error:
        raise ValueError(f"parse {quoted(text)}: {error}") from None


def _parse(whole: str, *, via_request: bool) -> GoUrl:
    if _control.search(whole):
        raise ValueError("net/url: invalid control character in URL")
    if not whole and via_request:
        raise ValueError("empty url")
    scheme, rest = _split_scheme(whole)
    asks = rest.endswith("?") and rest.count("?") == 1
    rest, _, query = rest.partition("?")
    build = partial(GoUrl, scheme, query=query, asks=asks)
    if whole == "*":
        return build(None, "", "*")
    if not rest.startswith("/"):
        if scheme:
            return build(None, "", "", opaque=rest)
        if via_request:
            raise ValueError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise ValueError("first path segment in URL cannot contain colon")
    if rest.startswith("//") and (scheme or (not via_request and not rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        user, host = _split_authority(scheme, authority)
        return build(user, host, _normal_path(slash + path))
    return build(None, "", _normal_path(rest), slashes=not (scheme and rest.startswith("/")))


def _split_scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    found = _scheme.match(text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def _split_authority(scheme: str, authority: str) -> tuple[str | None, str]:
    user, at, host = authority.rpartition("@")
    host = _checked_host(scheme, host)
    if at and not _good_userinfo.fullmatch(user):
        raise ValueError("net/url: invalid userinfo")
    _check_escapes(user)
    return (user if at else None), host


def _checked_host(scheme: str, host: str) -> str:
    """Return the unescaped host with its port. Raises ValueError with Go's message if the host is invalid."""
    if "[" in host:
        return _checked_literal(host)
    if ":" in host:
        # Go allows one colon in hosts of HTTP URLs, but several in other schemes, such as database connection strings.
        at = host.index(":") if scheme in ("http", "https") else host.rindex(":")
        _check_port(host[at:])
    return _unescaped(host, _bad_in_host)


def _checked_literal(host: str) -> str:
    if host.rindex("[") > 0:
        raise ValueError("invalid IP-literal")
    inside, bracket, port = host.rpartition("]")
    if not bracket:
        raise ValueError("missing ']' in host")
    _check_port(port)
    address, percent, zone = inside[1:].partition("%25")
    name = _unescaped(address, _bad_in_host)
    if percent:
        name += _unescaped(percent + zone, _bad_in_zone, _is_good_in_zone)
    try:
        found = parse_addr(name)
    except ValueError as error:
        raise ValueError(f"invalid host: {error}") from None
    if found.address.version == 4:
        raise ValueError("invalid IP-literal")
    return f"[{name}]{port}"


def _check_port(port: str) -> None:
    if _port.fullmatch(port) is None:
        raise ValueError(f"invalid port {quoted(port)} after host")


def _is_good_in_zone(escape: str) -> bool:
    decoded = chr(int(escape[1:], 16))
    return escape == "%25" or decoded == " " or (decoded.isascii() and _bad_in_host.match(decoded) is None)


def _unescaped(text: str, bad: re.Pattern[str], is_good: Callable[[str], bool] | None = None) -> str:
    """Replace the percent escapes in a host or zone by the characters that they stand for.

    `bad` matches characters and escapes that are not allowed. `is_good` takes an escape such as ``%41``, and returns
    True if it is allowed; None allows all escapes that `bad` does not match. Raises ValueError with Go's message for
    the first one that is not allowed.
    """
    found = bad.search(text)
    escapes = () if is_good is None else _escape.finditer(text)
    wrong = next((one for one in escapes if is_good is not None and not is_good(one[0])), None)
    if wrong is not None and (found is None or wrong.start() < found.start()):
        raise ValueError(f"invalid URL escape {quoted(wrong[0])}")
    if found is not None and found["escape"]:
        raise ValueError(f"invalid URL escape {quoted(text[found.start() : found.start() + 3])}")
    if found is not None:
        raise ValueError(f"invalid character {quoted(found[0])} in host name")
    return _decoded(text)


def _normal_path(path: str) -> str:
    """Return the path with all characters escaped that need it; a path without such characters is unchanged."""
    _check_escapes(path)
    return path if _ordinary_path.fullmatch(path) else quote_from_bytes(unquote_to_bytes(path), _PATH_CHARACTERS)


def _normal_fragment(fragment: str) -> str:
    _check_escapes(fragment)
    if _ordinary_fragment.fullmatch(fragment):
        return fragment
    return quote_from_bytes(unquote_to_bytes(fragment), _FRAGMENT_CHARACTERS)


def _check_escapes(text: str) -> None:
    if found := _bad_escape.search(text):
        raise ValueError(f"invalid URL escape {quoted(found[0])}")


def _decoded(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "replace") if "%" in text else text


def _encoded(text: str, kept: str) -> str:
    return quote_from_bytes(text.encode(), kept)
