"""Content negotiation: chooses the media type and kind of a response from the Accept header.

The clauses of an Accept header are tried in the order of the Go library goautoneg. Sources: apiserver
``endpoints/handlers/negotiation`` and the check of go-restful.
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
    """A clause of an Accept header: a media type with parameters."""

    type: str
    quality: float
    parameters: Mapping[str, str]

    @property
    def pretty(self) -> bool:
        """True if the clause asks for indented JSON, with the parameter ``pretty=1``."""
        return self.parameters.get("pretty") == "1"

    def admits(self, offered: str) -> bool:
        """Return True if this clause of the Accept header allows the media type `offered`."""
        return self.type in (offered, "*/*", f"{offered.partition('/')[0]}/*")

    def comes_before(self, other: "Clause") -> bool:
        """Return True if this clause of an Accept header is tried before the clause `other`.

        It is tried first if its quality is higher, or if it has no wildcard and `other` has one. This is not an order
        relation: ``application/yaml;q=0.5`` and ``*/*`` come before each other.
        """
        if self.quality > other.quality:
            return True
        (kind, _, subkind), (other_kind, _, other_subkind) = self.type.partition("/"), other.type.partition("/")
        return (kind != "*" and other_kind == "*") or (subkind != "*" and other_subkind == "*")


@lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """Return the clauses of an Accept header in the order in which they are tried.

    A clause whose media type has no slash is left out.
    """
    clauses = [clause for part in header.split(",") if (clause := _clause(part)) is not None]
    # `comes_before` is not an order relation, so the result depends on the sorting algorithm. Use that of goautoneg,
    # insertion sort.
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
    """Media type of a response, and the kind to which its objects are converted."""

    media_type: str = JSON
    kind: str = ""
    """Kind to which objects are converted, such as ``Table`` or ``PartialObjectMetadata``; "" for no conversion."""
    version: str = ""
    """Version of the API group meta.k8s.io in which the kind `kind` is encoded; "" for no conversion."""
    pretty: bool = False

    @property
    def is_plain_json(self) -> bool:
        """True if the response is an object's stored JSON, unchanged."""
        return self.media_type is JSON and not self.kind and not self.pretty

    @property
    def is_protobuf(self) -> bool:
        """True if the response is a protobuf message."""
        return self.media_type is PROTOBUF

    @property
    def is_compact_json(self) -> bool:
        """True if the response is JSON without line breaks and indentation. Objects are stored in this form."""
        return self.media_type is JSON and not self.pretty

    def laid_out(self, pretty: bool) -> "Representation":
        """Return this representation; if `pretty` is true, with indented JSON."""
        return self._replace(pretty=True) if pretty and not self.pretty else self


PLAIN = Representation()
FOR_PEOPLE = Representation(pretty=True)


@dataclass(frozen=True, slots=True, eq=False)
class Restrictions:
    """The representations that a path offers. Clauses of an Accept header that ask for any other one are skipped.

    kube-apiserver calls this EndpointRestrictions. Results of negotiations are cached for each instance, so an
    application should create few instances.
    """

    conversions: frozenset[tuple[str, str, str]] = _CONVERSIONS
    """Group, version and kind of each kind to which objects can be converted."""
    plain: bool = True
    """True if clients can get objects without a conversion."""
    tabular: bool = True
    """True if objects can be converted to a Table."""
    messages: bool = True
    """True if clients can get objects in protobuf, which custom kinds do not support.

    PartialObjectMetadata is offered in protobuf for all kinds.
    """
    versioned: bool = True
    """True if media types in the Accept header may have the parameter ``sv=v1`` (server version)."""

    @lru_cache(maxsize=16)  # noqa: B019  constants of modules, which live as long as the process
    def without_messages(self) -> "Restrictions":
        """Return a copy of these restrictions that does not allow protobuf."""
        return replace(self, messages=False)

    def allow(self, media_type: str, parameters: Mapping[str, str]) -> bool:
        """Return True if the path offers the media type and the parameters that one clause of an Accept header names.

        Parameters such as ``as=Table`` request a conversion.
        """
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
"""Representations that are offered for responses that contain no object of a resource, such as a Status."""
AGGREGATED_DISCOVERY: Final = ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")
AGGREGATED: Final = Restrictions(conversions=frozenset({AGGREGATED_DISCOVERY}), plain=False, versioned=False)
"""Representations that are offered for aggregated discovery documents (KEP-3352)."""


@lru_cache(maxsize=256)
def negotiate(
    accept: str,
    *,
    collection: bool = False,
    text: tuple[str, ...] = (),
    restrictions: Restrictions = UNRESTRICTED,
    is_custom: bool = False,
) -> Representation:
    """Choose the representation of an object, or of a collection, by the Accept header `accept`.

    `restrictions` has the representations that the path offers. For built-in kinds, the header must first pass the
    check of kube-apiserver's router (go-restful): it must name a media type of objects, one in `text`, or, if
    `collection` is True, one of watches. `is_custom` is True for custom kinds. Raises ApiError 406 if the header allows
    no representation.
    """
    if not accept:
        return PLAIN
    if not is_custom:
        check_produced(accept, text + OBJECT_TYPES + (WATCH_TYPES if collection else ()))
    return best_of(accept, restrictions)


def check_produced(accept: str, produced: tuple[str, ...] = OBJECT_TYPES) -> None:
    """Raise ApiError 406 if an Accept header names none of the media types `produced`, as go-restful does."""
    if accept and not any(named in ("*/*", *produced) for named in named_types(accept)):
        raise none_available(produced)


def best_of(accept: str, restrictions: Restrictions = UNRESTRICTED) -> Representation:
    """Return the representation for the first clause of an Accept header that the restrictions allow.

    Raises ApiError 406 if they allow no clause.
    """
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
    """Choose the representation of the objects in watch events by an Accept header.

    The parameters have the same meaning as in `negotiate`. Raises ApiError 406 if the header allows no representation
    that the path offers.
    """
    if not accept:
        return PLAIN
    clauses = parse_accept(accept)
    if any(clause.type == EVENT_STREAM for clause in clauses):
        return Representation(EVENT_STREAM)
    return negotiate(accept, collection=True, restrictions=restrictions, is_custom=is_custom)


@lru_cache(maxsize=256)
def negotiate_refusal(accept: str) -> Representation:
    """Choose the representation of a Status that reports an error.

    It is indented JSON if the Accept header allows no representation of a Status.
    """
    if not accept:
        return PLAIN
    try:
        return best_of(accept, DEFAULT_RESTRICTIONS)
    except ApiError:
        return FOR_PEOPLE


class RouterRefusal(ApiError):
    """A 406 or 415 error that kube-apiserver's router (go-restful) raises, before it calls the handler of the route.

    The response has no Warning headers, and metrics do not count the request.
    """


def none_available(produced: tuple[str, ...]) -> RouterRefusal:
    """Return the 406 error for an Accept header that names none of `produced`, the media types that the path offers."""
    message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(produced)}"
    return RouterRefusal(406, "NotAcceptable", message, Details())


def only_accepted(types: tuple[str, ...]) -> ApiError:
    """Return the 406 error for an Accept header that requests only conversions that the path does not offer.

    The message lists `types`, the media types that are offered.
    """
    return ApiError(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(types)}")


def _target(parameters: Mapping[str, str]) -> tuple[str, str, str]:
    """Return group, version and kind in the parameters of a clause: the kind to convert objects to.

    Each is "" if it is missing.
    """
    return parameters.get("g", ""), parameters.get("v", ""), parameters.get("as", "")
