"""Which representation a client gets: the Accept header, and what it may ask for.

An Accept header has clauses, in the order in which they are tried (goautoneg); Content-Type names one media type.
Sources: apiserver ``endpoints/handlers/negotiation`` and go-restful's own check.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from memkube.apimachinery.errors import ApiError, Details

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
EVENT_STREAM = "text/event-stream"

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = rf'\s*;\s*{_WORD}\s*=\s*(?:{_WORD}|"(?:[^"\\]|\\.)*")'
_content_type: Final = re.compile(rf"\s*({_WORD}(?:/{_WORD})?)\s*(?:{_PARAMETER})*\s*;?\s*").fullmatch
OBJECT_TYPES = (JSON, YAML, PROTOBUF)
PROTOBUF_STREAM = f"{PROTOBUF};stream=watch"
WATCH_TYPES = (f"{JSON};stream=watch", PROTOBUF_STREAM)
_META = "meta.k8s.io"
_SERVER_VERSION = "v1"
_CONVERSIONS = frozenset(
    {
        (_META, "v1", "Table"),
        (_META, "v1beta1", "Table"),
        (_META, "v1", "PartialObjectMetadata"),
        (_META, "v1beta1", "PartialObjectMetadata"),
        (_META, "v1", "PartialObjectMetadataList"),
        (_META, "v1beta1", "PartialObjectMetadataList"),
    }
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One media type that a client accepts."""

    type: str
    quality: float = 1.0
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def pretty(self) -> bool:
        """Whether it asks for a layout for people."""
        return self.parameters.get("pretty") == "1"

    def admits(self, offered: str) -> bool:
        """Whether an offered media type falls under this clause."""
        return self.type in (offered, "*/*", f"{offered.partition('/')[0]}/*")

    def comes_before(self, other: "Clause") -> bool:
        """Whether this clause is tried first: it is better, or the other one leaves more open.

        Of ``application/yaml;q=0.5`` and ``*/*`` either comes before the other.
        """
        if self.quality > other.quality:
            return True
        (kind, _, subkind), (other_kind, _, other_subkind) = self.type.partition("/"), other.type.partition("/")
        return (kind != "*" and other_kind == "*") or (subkind != "*" and other_subkind == "*")


@lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """The clauses of an Accept header in the order in which they are tried; those without a slash are left out."""
    clauses = [clause for part in header.split(",") if (clause := _clause(part)) is not None]
    # comes_before is no order: how the clauses are compared decides, so this insertion sort is the reference's.
    for end in range(1, len(clauses)):
        for index in range(end, 0, -1):
            if not clauses[index].comes_before(clauses[index - 1]):
                break
            clauses[index - 1], clauses[index] = clauses[index], clauses[index - 1]
    return tuple(clauses)


def named_types(header: str) -> list[str]:
    """The media types of an Accept header as they are written."""
    return [part.partition(";")[0].strip(" ") for part in header.split(",")]


def media_type_of(content_type: str) -> str:
    """The media type of a Content-Type header in lower case, "" where the header is malformed."""
    found = _content_type(content_type)
    return found[1].lower() if found else ""


def _clause(text: str) -> Clause | None:
    media_type, *rest = text.split(";")
    kind, slash, subkind = (part.strip(" ") for part in media_type.partition("/"))
    if not subkind:
        if kind != "*" or slash:
            return None
        subkind = "*"
    if "/" in subkind:
        return None
    parameters: dict[str, str] = {}
    quality = 1.0
    for part in rest:
        name, _, value = part.partition("=")
        if not value or "=" in value:
            continue
        if name.strip(" ") == "q":
            quality = _quality(value)
        else:
            parameters[name.strip(" ")] = value.strip(" ")
    return Clause(f"{kind}/{subkind}", quality, parameters)


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class Representation:
    """How to write an answer."""

    media_type: str = JSON
    kind: str = ""
    """What to convert to: ``Table``, ``PartialObjectMetadata``, ``PartialObjectMetadataList``, another or nothing."""
    version: str = ""
    """The version of that kind."""
    pretty: bool = False

    @property
    def is_plain_json(self) -> bool:
        """Whether the stored bytes are the answer."""
        return self.media_type is JSON and not self.kind and not self.pretty

    @property
    def is_protobuf(self) -> bool:
        """Whether the answer is a message."""
        return self.media_type is PROTOBUF

    @property
    def is_compact_json(self) -> bool:
        """Whether JSON can be sent as it is kept."""
        return self.media_type is JSON and not self.pretty

    def laid_out(self, pretty: bool) -> "Representation":
        """The same, for people where the request says so in another place than Accept."""
        return replace(self, pretty=True) if pretty and not self.pretty else self


PLAIN = Representation()
FOR_PEOPLE = Representation(pretty=True)


@dataclass(frozen=True, slots=True, eq=False)
class Restrictions:
    """What clauses may ask for at an address (EndpointRestrictions); others are passed over.

    Choices are remembered for each instance, so that there should be few.
    """

    conversions: frozenset[tuple[str, str, str]] = _CONVERSIONS
    """Groups, versions and kinds that the answer can be converted to."""
    plain: bool = True
    """Whether it can be had unconverted."""
    tabular: bool = True
    """Whether Tables can be had, where they are among the conversions."""
    messages: bool = True
    """Objects in protobuf, which custom kinds have no messages for; their metadata can always be had."""
    versioned: bool = True
    """A version of the server, of which there is one."""

    @lru_cache(maxsize=16)  # noqa: B019  constants of modules, which live as long as the process
    def without_messages(self) -> "Restrictions":
        """The same for a kind that has no messages."""
        return replace(self, messages=False)

    def allow(self, media_type: str, parameters: Mapping[str, str]) -> bool:
        """Whether a clause's parameters fit the media type, and the address has what they ask for."""
        stream, version = parameters.get("stream", ""), parameters.get("sv", "")
        if stream and (stream != "watch" or media_type == YAML):
            return False
        if version and (version != _SERVER_VERSION or not self.versioned):
            return False
        target = _target(parameters)
        if not any(target):
            return self.plain and (self.messages or media_type != PROTOBUF)
        if target not in self.conversions:
            return False
        return target[2] != "Table" or (self.tabular and media_type != PROTOBUF)


UNRESTRICTED: Final = Restrictions()
NOT_TABULAR: Final = Restrictions(tabular=False)
DEFAULT_RESTRICTIONS: Final = Restrictions(conversions=frozenset(), versioned=False)
"""Of answers that are no objects of the address: Status, discovery."""
AGGREGATED_DISCOVERY: Final = ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")
AGGREGATED: Final = Restrictions(conversions=frozenset({AGGREGATED_DISCOVERY}), plain=False, versioned=False)
"""Of aggregated discovery (KEP-3352)."""


@lru_cache(maxsize=256)
def negotiate(
    accept: str,
    *,
    collection: bool = False,
    text: tuple[str, ...] = (),
    restrictions: Restrictions = UNRESTRICTED,
) -> Representation:
    """The best representation of an object or a collection; `text` may be asked for, but not negotiated.

    Raises ApiError 406.
    """
    if not accept:
        return PLAIN
    check_produced(accept, text + OBJECT_TYPES + (WATCH_TYPES if collection else ()))
    return best_of(accept, restrictions)


def check_produced(accept: str, produced: tuple[str, ...] = OBJECT_TYPES) -> None:
    """The look at Accept that comes before the handler's own. Raises ApiError 406 if it names none of these types."""
    if accept and not any(named in ("*/*", *produced) for named in named_types(accept)):
        raise none_available(produced)


def best_of(accept: str, restrictions: Restrictions = UNRESTRICTED) -> Representation:
    """The handler's own choice, which takes ranges such as ``application/*``. Raises ApiError 406."""
    for clause in parse_accept(accept):
        for media_type in OBJECT_TYPES:
            if clause.admits(media_type) and restrictions.allow(media_type, clause.parameters):
                _, version, kind = _target(clause.parameters)
                return Representation(media_type, kind, version, clause.pretty)
    raise only_accepted(OBJECT_TYPES)


@lru_cache(maxsize=256)
def negotiate_watch(accept: str, restrictions: Restrictions = UNRESTRICTED) -> Representation:
    """The representation of the objects inside watch events, which not all that objects have can stream.

    Raises ApiError 406.
    """
    if not accept:
        return PLAIN
    clauses = parse_accept(accept)
    if any(clause.type == EVENT_STREAM for clause in clauses):
        return Representation(EVENT_STREAM)
    return negotiate(accept, collection=True, restrictions=restrictions)


@lru_cache(maxsize=256)
def negotiate_refusal(accept: str) -> Representation:
    """How to write a Status: for a client that understands none of what there is, as JSON for people."""
    if not accept:
        return PLAIN
    try:
        return best_of(accept, DEFAULT_RESTRICTIONS)
    except ApiError:
        return FOR_PEOPLE


class NoneAvailable(ApiError):
    """A refusal of the reference's router, before an address may warn of anything."""


def none_available(produced: tuple[str, ...]) -> NoneAvailable:
    """406 where no clause names a media type that the address has."""
    message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(produced)}"
    return NoneAvailable(406, "NotAcceptable", message, Details())


def only_accepted(types: tuple[str, ...]) -> ApiError:
    """406 where the parameters of a clause ask for more than there is."""
    return ApiError(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(types)}")


def _target(parameters: Mapping[str, str]) -> tuple[str, str, str]:
    """Group, version and kind of what objects are to be converted to."""
    return parameters.get("g", ""), parameters.get("v", ""), parameters.get("as", "")
