"""Content negotiation: the representation that a client gets for its Accept header.

The clauses of an Accept header are tried in the order of the Go library goautoneg. Sources: apiserver
``endpoints/handlers/negotiation`` and go-restful's own check.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

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


class Clause(NamedTuple):
    """A media type of an Accept header, with its parameters."""

    type: str
    quality: float
    parameters: Mapping[str, str]

    @property
    def pretty(self) -> bool:
        """True if the clause asks for indented JSON, with the parameter ``pretty=1``."""
        return self.parameters.get("pretty") == "1"

    def admits(self, offered: str) -> bool:
        """Return True if an offered media type matches the clause."""
        return self.type in (offered, "*/*", f"{offered.partition('/')[0]}/*")

    def comes_before(self, other: "Clause") -> bool:
        """Return True if this clause is tried before the other: its quality is higher, or the other has a wildcard.

        This is not an order relation: ``application/yaml;q=0.5`` and ``*/*`` come before each other.
        """
        if self.quality > other.quality:
            return True
        (kind, _, subkind), (other_kind, _, other_subkind) = self.type.partition("/"), other.type.partition("/")
        return (kind != "*" and other_kind == "*") or (subkind != "*" and other_subkind == "*")


@lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """Return the clauses of an Accept header in the order in which they are tried.

    Clauses without a slash are left out.
    """
    clauses = [clause for part in header.split(",") if (clause := _clause(part)) is not None]
    # comes_before is not an order relation, so the result depends on the algorithm: this is goautoneg's insertion sort.
    for end in range(1, len(clauses)):
        for index in range(end, 0, -1):
            if not clauses[index].comes_before(clauses[index - 1]):
                break
            clauses[index - 1], clauses[index] = clauses[index], clauses[index - 1]
    return tuple(clauses)


def named_types(header: str) -> list[str]:
    """Return the media types of an Accept header, without parameters."""
    return [part.partition(";")[0].strip(" ") for part in header.split(",")]


def media_type_of(content_type: str) -> str:
    """Return the media type of a Content-Type header in lower case, or "" if the header is malformed."""
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


class Representation(NamedTuple):
    """The media type of a response, and the kind that its objects are converted to."""

    media_type: str = JSON
    kind: str = ""
    """The kind to convert objects to, such as ``Table`` or ``PartialObjectMetadata``; "" for no conversion."""
    version: str = ""
    """The version of `kind` in the group meta.k8s.io."""
    pretty: bool = False

    @property
    def is_plain_json(self) -> bool:
        """True if the stored bytes of an object can be sent unchanged."""
        return self.media_type is JSON and not self.kind and not self.pretty

    @property
    def is_protobuf(self) -> bool:
        """True if the response is a protobuf message."""
        return self.media_type is PROTOBUF

    @property
    def is_compact_json(self) -> bool:
        """True if the response is JSON without line breaks, so that stored bytes need no reformatting."""
        return self.media_type is JSON and not self.pretty

    def laid_out(self, pretty: bool) -> "Representation":
        """Return this representation, with indented JSON if `pretty`."""
        return self._replace(pretty=True) if pretty and not self.pretty else self


PLAIN = Representation()
FOR_PEOPLE = Representation(pretty=True)


@dataclass(frozen=True, slots=True, eq=False)
class Restrictions:
    """The representations that an address offers; clauses of an Accept header that ask for others are skipped.

    kube-apiserver calls this EndpointRestrictions. Negotiations are cached for each instance, so that an application
    should make few instances.
    """

    conversions: frozenset[tuple[str, str, str]] = _CONVERSIONS
    """Group, version and kind of each kind that objects can be converted to."""
    plain: bool = True
    """True if objects can be sent without a conversion."""
    tabular: bool = True
    """True if conversions to Table are allowed."""
    messages: bool = True
    """True if objects can be sent in protobuf. Custom kinds cannot; the metadata of all kinds can."""
    versioned: bool = True
    """True if a media type in the Accept header may have the parameter ``sv=v1`` (the server's version)."""

    @lru_cache(maxsize=16)  # noqa: B019  constants of modules, which live as long as the process
    def without_messages(self) -> "Restrictions":
        """Return a copy of these restrictions that does not allow protobuf."""
        return replace(self, messages=False)

    def allow(self, media_type: str, parameters: Mapping[str, str]) -> bool:
        """Return True if the address offers a media type with these parameters of an Accept header."""
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
"""The representations of responses that are not objects of the address, such as Status and discovery."""
AGGREGATED_DISCOVERY: Final = ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")
AGGREGATED: Final = Restrictions(conversions=frozenset({AGGREGATED_DISCOVERY}), plain=False, versioned=False)
"""The representations of aggregated discovery documents (KEP-3352)."""


@lru_cache(maxsize=256)
def negotiate(
    accept: str,
    *,
    collection: bool = False,
    text: tuple[str, ...] = (),
    restrictions: Restrictions = UNRESTRICTED,
    is_custom: bool = False,
) -> Representation:
    """Return the representation of an object or a collection that fits an Accept header best.

    `text` are additional media types of the address. Like kube-apiserver's router (go-restful), check the media types
    of built-in kinds first. Raises ApiError 406 if no clause fits.
    """
    if not accept:
        return PLAIN
    if not is_custom:
        check_produced(accept, text + OBJECT_TYPES + (WATCH_TYPES if collection else ()))
    return best_of(accept, restrictions)


def check_produced(accept: str, produced: tuple[str, ...] = OBJECT_TYPES) -> None:
    """Check that an Accept header names one of these types, as go-restful does.

    Raises ApiError 406 if it names none.
    """
    if accept and not any(named in ("*/*", *produced) for named in named_types(accept)):
        raise none_available(produced)


def best_of(accept: str, restrictions: Restrictions = UNRESTRICTED) -> Representation:
    """Return the representation that the first matching clause of Accept asks for. Raises ApiError 406 if none does."""
    for clause in parse_accept(accept):
        for media_type in OBJECT_TYPES:
            if clause.admits(media_type) and restrictions.allow(media_type, clause.parameters):
                _, version, kind = _target(clause.parameters)
                return Representation(media_type, kind, version, clause.pretty)
    raise only_accepted(OBJECT_TYPES)


@lru_cache(maxsize=256)
def negotiate_watch(
    accept: str, restrictions: Restrictions = UNRESTRICTED, *, is_custom: bool = False
) -> Representation:
    """Return the representation of the objects in watch events, which cannot be YAML.

    Raises ApiError 406 if no clause fits.
    """
    if not accept:
        return PLAIN
    clauses = parse_accept(accept)
    if any(clause.type == EVENT_STREAM for clause in clauses):
        return Representation(EVENT_STREAM)
    return negotiate(accept, collection=True, restrictions=restrictions, is_custom=is_custom)


@lru_cache(maxsize=256)
def negotiate_refusal(accept: str) -> Representation:
    """Return the representation of a Status that reports an error.

    It is indented JSON if the client accepts no media type that the server offers.
    """
    if not accept:
        return PLAIN
    try:
        return best_of(accept, DEFAULT_RESTRICTIONS)
    except ApiError:
        return FOR_PEOPLE


class NoneAvailable(ApiError):
    """A 406 of kube-apiserver's router, whose response has no Warning headers."""


def none_available(produced: tuple[str, ...]) -> NoneAvailable:
    """Return the 406 error for an Accept header that names none of the media types that the address produces."""
    message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(produced)}"
    return NoneAvailable(406, "NotAcceptable", message, Details())


def only_accepted(types: tuple[str, ...]) -> ApiError:
    """Return the 406 error for an Accept header that asks only for conversions or parameters that are not offered."""
    return ApiError(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(types)}")


def _target(parameters: Mapping[str, str]) -> tuple[str, str, str]:
    """Return group, version and kind that a clause asks objects to be converted to, each "" if missing."""
    return parameters.get("g", ""), parameters.get("v", ""), parameters.get("as", "")
