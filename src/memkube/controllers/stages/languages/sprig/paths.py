"""Sprig's functions for paths and URLs (Go's ``path`` and ``net/url``). The paths of files are those of Linux."""

import posixpath
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from memkube.controllers.stages.languages.template_arguments import TemplateFunction, dict_of, of_texts, taking
from memkube.controllers.stages.languages.template_values import TemplateError, kind


def _base(path: str) -> str:
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def _clean(path: str) -> str:
    # Go keeps one slash at the beginning of a path, but Python keeps two.
    clean = posixpath.normpath(path) if path else "."
    return clean[1:] if clean.startswith("//") else clean


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rindex(".") :] if "." in name else ""


_PATHS: Final[Mapping[str, TemplateFunction]] = {
    "base": of_texts(1, _base),
    "clean": of_texts(1, _clean),
    "dir": of_texts(1, lambda path: _clean(path.rpartition("/")[0] + ("/" if "/" in path else ""))),
    "ext": of_texts(1, _extension),
    "isAbs": of_texts(1, lambda path: path.startswith("/")),
}


def _parsed_url(text: str) -> dict[str, str]:
    """Return the parts of a URL. Raises TemplateError if it is malformed."""
    try:
        parts = urlsplit(text)
        hostname = parts.hostname or ""
        _ = parts.port  # Reading the port raises ValueError if it is malformed.
    except ValueError as error:
        raise TemplateError(f"unable to parse url: {error}") from None
    user, at, host = parts.netloc.rpartition("@")
    is_opaque = bool(parts.scheme) and not parts.netloc and not parts.path.startswith("/")
    # Take the host name from the text: Python converts it to lower case, but Go does not.
    start = host.lower().find(hostname)
    return {
        "scheme": parts.scheme,
        "host": host,
        "hostname": host[start : start + len(hostname)],
        "path": "" if is_opaque else unquote(parts.path),
        "query": parts.query,
        "opaque": parts.path if is_opaque else "",
        "fragment": unquote(parts.fragment),
        "userinfo": user if at else "",
    }


def _joined_url(parts: Any) -> str:
    """Return the URL with these parts (Go's ``URL.String``)."""
    found = dict_of(parts)
    for name, value in found.items():
        if name in _URL_PARTS and not isinstance(value, str):
            raise TemplateError(f"unable to parse {name} key, must be of type string, but {kind(value)} found")
    scheme, host, path, query, opaque, fragment, user = (found.get(name, "") for name in _URL_PARTS)
    text = f"{scheme}:" if scheme else ""
    if opaque:
        text += opaque
    else:
        if scheme or host or user:
            text += f"//{user}@{host}" if user else f"//{host}" if host or path else ""
        text += "/" if path and not path.startswith("/") and host else ""
        if not text and ":" in path.partition("/")[0]:
            text = "./"
        text += quote(path, safe="/:@!$&'()*+,;=~-._")
    return f"{text}{f'?{query}' if query else ''}{f'#{quote(fragment, safe=_FRAGMENT)}' if fragment else ''}"


_URL_PARTS: Final = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")
_FRAGMENT: Final = "/:@!$&'()*+,;=?~-._"
PATHS: Final[Mapping[str, TemplateFunction]] = {
    **_PATHS,
    **{f"os{name[0].upper()}{name[1:]}": function for name, function in _PATHS.items()},
    "urlParse": of_texts(1, _parsed_url),
    "urlJoin": taking(1, _joined_url),
}
"""Functions for paths and URLs, by name."""
