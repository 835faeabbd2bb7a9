"""Finds the attributes by which a request is authorized: its user, its verb, and a resource or path.

Source: apiserver ``endpoints/request/requestinfo.go``.
"""

from functools import lru_cache
from typing import Final

from memkube.apimachinery import fields, labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.names import is_path_segment_name
from memkube.apimachinery.query import flag, integer
from memkube.auth.authorization.interface import Attributes
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.registry.declarations.request_options import NOBODY, User

_VERBS: Final = {"POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_SPECIAL: Final = frozenset({"proxy", "watch"})
"""Verbs that can follow the version in a path, as in ``/api/v1/watch/pods``."""
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})
_WITH_SELECTORS: Final = frozenset({"list", "watch", "deletecollection"})
_NUMBERS: Final = ("timeoutSeconds", "limit")


def attributes_of(request: ApiRequest) -> Attributes:
    """Return the attributes by which a request is authorized: its user, verb, resource or path, and selectors."""
    attributes = attributes_by_path(request.method, request.path, request.user)
    query = request.scope["query_string"]
    if not attributes.is_resource or not query:
        return attributes
    if not attributes.name and attributes.verb == "list" and request.method != "DELETE":
        attributes = _of_collection(attributes, request)
    if attributes.verb in _WITH_SELECTORS and not _names_verb(request.path):
        attributes = attributes._replace(
            field_selector=_field_selector(request.parameter("fieldSelector")),
            label_selector=_label_selector(request.parameter("labelSelector")),
        )
    return attributes


def attributes_by_path(method: str, path: str, user: User) -> Attributes:
    """Return the attributes by which a request without a query is authorized."""
    return Attributes(user, *_by_path(method, path)[1:])


# Attributes are cached, because clients send many requests with the same path.
@lru_cache(maxsize=2048)
def _by_path(method: str, path: str) -> Attributes:
    """Return those attributes of a request that follow from its method and path.

    The user is the placeholder NOBODY. The verb of a watch is ``list``, because the path does not say whether a GET is
    a list or a watch; the query does.
    """
    parts = path.strip("/").split("/")
    other = Attributes(NOBODY, method.lower(), is_resource=False, path=path)
    if len(parts) < 3 or parts[0] not in ("api", "apis"):
        return other
    group = ""
    if parts[0] == "apis":
        if len(parts) < 4:
            return other
        group = parts.pop(1)
    version, rest = parts[1], parts[2:]
    verb = _VERBS.get(method, "")
    by_prefix = rest[0] in _SPECIAL and len(rest) > 1
    if by_prefix:
        verb, rest = rest[0], rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 1:
        namespace = rest[1]
        if len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES:
            rest = rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 and verb != "proxy" else ""
    if not name and not by_prefix:
        verb = {"get": "list", "delete": "deletecollection"}.get(verb, verb)
    return Attributes(NOBODY, verb, namespace, group, version, rest[0], subresource, name, path=path)


def _names_verb(path: str) -> bool:
    """Return True if a segment of the path is the verb, as in ``/api/v1/watch/pods``."""
    parts = path.strip("/").split("/", 4)
    position = 2 if parts[0] == "api" else 3
    return parts[position] in _SPECIAL


def _of_collection(attributes: Attributes, request: ApiRequest) -> Attributes:
    """Complete the attributes of a list by its query.

    The query can make it a watch, or select one object by its name with a field selector.
    """
    if flag(request.query, "watch"):
        attributes = attributes._replace(verb="watch")
    selector = _field_selector(request.parameter("fieldSelector"))
    name = None if selector is None else selector.exact_value("metadata.name")
    if name and not is_path_segment_name(name) and _is_decodable(request):
        attributes = attributes._replace(name=name)
    return attributes


def _is_decodable(request: ApiRequest) -> bool:
    """Return True if kube-apiserver can decode ListOptions from the query."""
    try:
        for number in _NUMBERS:
            integer(request.query, number)
        labels.parse(request.parameter("labelSelector"))
    except (ApiError, ValueError):
        return False
    return True


def _field_selector(text: str) -> FieldSelector | None:
    try:
        return fields.parse(text) if text else None
    except ValueError:
        return None


def _label_selector(text: str) -> LabelSelector | None:
    try:
        return labels.parse(text) if text else None
    except ValueError:
        return None
