"""Lists of the newest revision, of an exact revision or of a further page (KEP-2340, KEP-4988), with selectors.

If the revision of a list or of its continue token has been compacted, this module raises the 410 error (Expired).
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError, Cause, Details, bad_request, expired
from memkube.apimachinery.names import is_path_segment_name, label_name
from memkube.registry.declarations.request_options import EVERYTHING, ListOptions, Selection
from memkube.registry.declarations.resource import ReadFields
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.reads.indexing import matches_of
from memkube.registry.reads.revisions import ContinueToken, requested_revision
from memkube.storage.errors import RevisionCompacted, RevisionInFuture
from memkube.storage.interface import Page
from memkube.time.turns import Turns

Matches: TypeAlias = Callable[[StoredObject], bool]
_NO_LIMIT: Final = 2**31


def matcher(selection: Selection, fields_of: ReadFields) -> Matches | None:
    """Return a function that returns True if an object matches the selectors; None if all objects match.

    `fields_of` takes the JSON data of an object, and returns the fields that field selectors can use.
    """
    labels, fields = selection.labels, selection.fields
    if labels is None:
        return None if fields is None else lambda stored: fields.matches(fields_of(stored.document))
    if fields is None:
        return lambda stored: labels.matches(stored.labels)
    return lambda stored: labels.matches(stored.labels) and fields.matches(fields_of(stored.document))


_AFTER = "\0"
_MATCHED_AT_ONCE = 256
_EXPIRED: Final = 410
_LIST_EXPIRED = "The resourceVersion for the provided list is too old."
_CONTINUE_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."
)


class _Range(NamedTuple):
    start: str
    revision: int
    """Exact revision to list.

    0 lists the newest revision. With `at_least`, any revision that is not older than `at_least` may be listed instead.
    """
    limit: int
    at_least: int | None = None
    cached: bool = True
    """True if kube-apiserver would answer this list from its watch cache."""


async def list_objects(collection: Collection, namespace: str, options: ListOptions) -> ObjectList:
    """Return the objects that match the options.

    Raises ApiError 400 for invalid options, 410 for a compacted revision, and 504 for a future revision.
    """
    if options is EVERYTHING:
        page = await collection.backend.storage.list(collection.prefix(namespace))
        return ObjectList(page.values, page.revision)
    namespace, name = _narrowed(collection, namespace, options)
    prefix = collection.prefix(namespace)
    wanted = _range(prefix, options, of_one=bool(name), cached=collection.resource.lists.watch_cached)
    matches = matcher(options.selection, collection.resource.fields.read)
    if name:
        return await _one(collection, collection.key(namespace, name), options, wanted)
    if matches is not None:
        return await _selected(collection, prefix, options, wanted, matches)
    page = await _read(collection, prefix, options, wanted)
    return _page(prefix, page, page.values, len(page.values) - 1, remaining=page.remaining)


def _narrowed(collection: Collection, namespace: str, options: ListOptions) -> tuple[str, str]:
    """Return the namespace and the name to which the request limits the list; each is empty if it is not limited.

    The name comes from the field selector. It is always empty for a list with a continue token.
    """
    selector = options.selection.fields
    if selector is None or options.continue_token:
        return namespace, ""
    if collection.resource.namespaced and not namespace:
        chosen = selector.exact_value("metadata.namespace") or ""
        namespace = "" if label_name(chosen) else chosen
    name = selector.exact_value("metadata.name") or ""
    if is_path_segment_name(name) or (collection.resource.namespaced and not namespace):
        return namespace, ""
    return namespace, name


async def _read(collection: Collection, prefix: str, options: ListOptions, wanted: _Range) -> Page[StoredObject]:
    matching = matches_of(options.selection, collection.resource)
    try:
        return await collection.backend.storage.list(
            prefix,
            limit=wanted.limit,
            start=wanted.start,
            revision=wanted.revision,
            at_least=wanted.at_least,
            matching=matching,
        )
    except RevisionCompacted:
        raise expired_list(options.continue_token) from None
    except RevisionInFuture as error:
        raise too_large_version(error, cached=wanted.cached) from None


async def _one(collection: Collection, key: str, options: ListOptions, wanted: _Range) -> ObjectList:
    """Return a list of at most one object: that with the storage key `key` in `collection`.

    The list is empty if the object does not exist, or if the selectors in `options` do not match the object. `wanted`
    has the revision to read.
    """
    page = await _read(collection, key, options, wanted._replace(limit=1))
    matches = matcher(options.selection, collection.resource.fields.read)
    found = [v for v, k in zip(page.values, page.keys, strict=True) if k == key and (matches is None or matches(v))]
    return ObjectList(found, page.revision)


def too_large_version(error: RevisionInFuture, *, cached: bool) -> ApiError:
    """Return the 504 error for a read at a revision in the future; `error` has this revision and the newest one.

    If `cached` is True, because kube-apiserver has a watch cache for the kind, the error has ``retryAfterSeconds``.
    """
    causes = (Cause("ResourceVersionTooLarge", "Too large resource version"),)
    message = f"Timeout: Too large resource version: {error.revision}, current: {error.current}"
    return ApiError(504, "Timeout", message, Details(causes=causes, retry_after_seconds=1 if cached else 0))


def _range(prefix: str, options: ListOptions, *, of_one: bool, cached: bool) -> _Range:
    if options.continue_token:
        token = ContinueToken.decode(options.continue_token)
        if options.resource_version not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        return _Range(prefix + token.start, max(token.revision, 0), options.limit, cached=cached)
    try:
        revision = requested_revision(options.resource_version)
    except ApiError as error:
        raise bad_request(f"invalid resource version: {error.message}") from None
    exact = options.resource_version_match == "Exact"
    exact_by_limit = bool(revision and options.limit and not options.resource_version_match)
    cached = cached and not (of_one and (exact or exact_by_limit))
    if exact or (exact_by_limit and not of_one):
        return _Range("", revision, options.limit, cached=cached)
    at_least = revision if options.resource_version else None
    return _Range("", 0, 0 if cached and options.resource_version == "0" else options.limit, at_least, cached)


async def _selected(
    collection: Collection, prefix: str, options: ListOptions, wanted: _Range, matches: Matches
) -> ObjectList:
    """Return a page of the objects whose keys begin with `prefix` and for which `matches` returns True.

    `wanted` has the start, the limit and the revision of the page. If the list has a limit, objects are read in batches
    until the page is full.
    """
    turns, taken = Turns(), list[StoredObject]()
    size = max(wanted.limit, _MATCHED_AT_ONCE) if wanted.limit else 0
    piece = wanted._replace(limit=size)
    while True:
        try:
            page = await _read(collection, prefix, options, piece)
        except ApiError as error:
            if error.code != _EXPIRED or piece.start == wanted.start:
                raise
            # The revision at which this list began has been compacted before the page was full. Read all objects again,
            # at the newest revision.
            taken, piece = [], wanted._replace(limit=0)
            continue
        for index, stored in enumerate(page.values):
            if index % _MATCHED_AT_ONCE == 0:
                await turns.give()
            if not matches(stored):
                continue
            taken.append(stored)
            if len(taken) == wanted.limit:
                more = page.remaining or index < len(page.values) - 1
                return _page(prefix, page, taken, index, remaining=1 if more else 0, counted=False)
        if not piece.limit or len(page.values) < piece.limit:
            return ObjectList(taken, page.revision)
        piece = _Range(page.keys[-1] + _AFTER, page.revision, 2 * piece.limit)


def _page(
    prefix: str,
    page: Page[StoredObject],
    items: Sequence[StoredObject],
    last: int,
    *,
    remaining: int,
    counted: bool = True,
) -> ObjectList:
    if not remaining:
        return ObjectList(items, page.revision)
    token = ContinueToken("/" + page.keys[last].removeprefix(prefix) + _AFTER, page.revision)
    return ObjectList(items, page.revision, token.encode(), remaining if counted else None)


def expired_list(continue_token: str) -> ApiError:
    """Return the 410 error for a list at a compacted revision or with an expired continue token.

    Raises ApiError 400 if the token is invalid.
    """
    if not continue_token:
        return expired(_LIST_EXPIRED)
    error = expired(_CONTINUE_EXPIRED)
    error.continue_token = ContinueToken("/" + ContinueToken.decode(continue_token).start, -1).encode()
    return error


def read_in_pages(listed: ListOptions) -> ListOptions:
    """Return the list options `listed`, changed so that the list has the semantics of a list in pages.

    kube-apiserver reads pages from etcd instead of its watch cache. A resourceVersion then means exactly that revision,
    instead of that revision or a newer one. Only a list of a single object is read at the newest revision.
    """
    if listed.limit or listed.resource_version_match or listed.resource_version in ("", "0"):
        return listed
    return listed._replace(limit=_NO_LIMIT)
