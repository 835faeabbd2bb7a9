"""Rewrites the links in proxied HTML, so that they lead through the proxy (apimachinery ``util/proxy``)."""

import posixpath
from html import escape
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_LINKS: Final = MappingProxyType(
    {
        "a": ("href",),
        "applet": ("codebase",),
        "area": ("href",),
        "audio": ("src",),
        "base": ("href",),
        "blockquote": ("cite",),
        "body": ("background",),
        "button": ("formaction",),
        "command": ("icon",),
        "del": ("cite",),
        "embed": ("src",),
        "form": ("action",),
        "frame": ("longdesc", "src"),
        "head": ("profile",),
        "html": ("manifest",),
        "iframe": ("longdesc", "src"),
        "img": ("longdesc", "src", "usemap"),
        "input": ("src", "usemap", "formaction"),
        "ins": ("cite",),
        "link": ("href",),
        "object": ("classid", "codebase", "data", "usemap"),
        "q": ("cite",),
        "script": ("src",),
        "source": ("src",),
        "video": ("poster", "src"),
    }
)
"""Attributes with URLs, by the name of the tag."""


def with_proxied_links(body: bytes, prefix: str) -> bytes:
    """Return an HTML document whose links to absolute paths begin with `prefix`, the path of the proxy.

    Links with a host, and links that are relative to the document, are not changed.
    """
    rewriter = _Rewriter(prefix)
    rewriter.feed(body.decode(errors="surrogateescape"))
    rewriter.close()
    return "".join(rewriter.written).encode(errors="surrogateescape")


class _Rewriter(HTMLParser):
    def __init__(self, prefix: str) -> None:
        super().__init__(convert_charrefs=False)
        self.written: list[str] = []
        self._prefix = prefix

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._write_tag(tag, attrs, ">")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._write_tag(tag, attrs, "/>")

    def handle_endtag(self, tag: str) -> None:
        self.written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.written.append(data)

    def handle_entityref(self, name: str) -> None:
        self.written.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.written.append(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        self.written.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.written.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        self.written.append(f"<![{data}]>")

    def handle_pi(self, data: str) -> None:
        self.written.append(f"<?{data}>")

    def _write_tag(self, tag: str, attributes: list[tuple[str, str | None]], end: str) -> None:
        links = _LINKS.get(tag, ())
        shown = (
            f' {name}="{escape(self._proxied(value or "") if name in links else value or "")}"'
            for name, value in attributes
        )
        self.written.append(f"<{tag}{''.join(shown)}{end}")

    def _proxied(self, link: str) -> str:
        try:
            parts = urlsplit(link)
        except ValueError:
            return link
        if parts.netloc or not parts.path.startswith("/") or parts.path.startswith(self._prefix):
            return link
        path = posixpath.normpath(f"{self._prefix}/{parts.path}")
        return urlunsplit(parts._replace(path=f"{path}/" if parts.path.endswith("/") else path))
