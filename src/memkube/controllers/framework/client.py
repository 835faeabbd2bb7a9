"""The client with which controllers read and write objects. It uses the same stores as requests over HTTP."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from memkube.apimachinery.errors import ApiError, conflict, not_found
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.auth.authorization.interface import Attributes, forbidden_request
from memkube.controllers.framework.controller_faults import ControllerAsker, run_with_faults
from memkube.controllers.framework.request_records import ControllerRequest
from memkube.registry.declarations.interface import Deletion
from memkube.registry.declarations.request_options import LOOPBACK, ListOptions, User, WriteContext
from memkube.registry.declarations.resource import CreateSubresource, ObjectSubresource, Resource, ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.writes.patching import APPLY_PATCH, Patch
from memkube.registry.writes.updating import MODIFIED
from memkube.telemetry.request_log import RequestLog, Target

T = TypeVar("T")


@contextmanager
def ignoring_absence() -> Iterator[None]:
    """Context manager that suppresses ApiError 404: the object has been deleted meanwhile."""
    try:
        yield
    except ApiError as error:
        if error.reason != "NotFound":
            raise


class Client:
    """Reads and writes objects for one controller. Its writes have the field manager `manager` in managedFields.

    The requests are those of the server itself, which is allowed everything. If another `user` is given, the controller
    impersonates this user: a request that the user is not allowed to make fails with ApiError 403.
    """

    def __init__(self, registry: Registry, log: RequestLog, manager: str, user: User = LOOPBACK) -> None:
        self._registry = registry
        self._faults = registry.faults
        self._log = log
        self._manager = manager
        self._user = user

    async def get(self, resource: Resource, namespace: str, name: str) -> StoredObject:
        """Return the newest revision of an object. Raises ApiError (404) if it does not exist."""
        if not self._is_observed and self._user is LOOPBACK:
            return await self._registry.store(resource).get(namespace, name)
        work = self._read(resource, namespace, name)
        return await self._observed(work, "get", resource, self._context(namespace), name)

    async def get_view(self, resource: Resource, view: ViewSubresource, namespace: str, name: str) -> StoredObject:
        """Return a subresource that has a kind of its own, such as the Scale of a Deployment.

        Raises ApiError (404) if the object does not exist.
        """
        work = self._registry.subresource_store(resource, view).get(namespace, name)
        return await self._observed(work, "get", resource, self._context(namespace), name, view.name)

    async def replace_view(self, resource: Resource, view: ViewSubresource, obj: ApiObject) -> StoredObject:
        """Write a subresource that has a kind of its own, such as the Scale of a Deployment.

        `obj` is its new content, such as a Scale. Raises ApiError if the write is refused: 409 if the object no longer
        has the ``metadata.resourceVersion`` of `obj`.
        """
        context, name = self._context(obj.metadata.namespace), obj.metadata.name
        work = self._registry.subresource_store(resource, view).replace(name, lambda: obj, context, view)
        return (await self._observed(work, "update", resource, context, name, view.name))[0]

    async def create(self, resource: Resource, obj: ApiObject, namespace: str) -> StoredObject:
        """Store a new object, and return it as stored. Raises ApiError if the write is refused."""
        obj.metadata.namespace = namespace
        context = self._context(namespace)
        work = self._registry.store(resource).create(obj, context)
        return await self._observed(work, "create", resource, context, obj.metadata.name)

    async def update(
        self,
        resource: Resource,
        current: StoredObject,
        change: Callable[[ApiObject], None],
        *,
        subresource: str = "",
    ) -> StoredObject:
        """Change the newest revision of an object with `change`, write the result if it differs, and return it.

        `change` gets the object and modifies it in place; its exceptions reach the caller. `current` is any revision of
        the object. Raises ApiError if the write is refused: 404 if the object was deleted, 409 if it was replaced by
        another object of the same name.
        """
        store, context = self._registry.store(resource), self._context(current.namespace)
        work = store.update(current.name, change, context, subresource=subresource, uid=current.uid)
        return await self._observed(work, "update", resource, context, current.name, subresource)

    async def update_revision(
        self,
        resource: Resource,
        current: StoredObject,
        change: Callable[[ApiObject], None],
        *,
        subresource: str = "",
    ) -> StoredObject:
        """Change the revision `current` of an object with `change`, and write the object if it has changed.

        `change` gets the object and modifies it in place. Raises ApiError if the write is refused: 409 if `current` is
        not the newest revision.
        """

        def change_revision(obj: ApiObject) -> None:
            if obj.metadata.resourceVersion != current.resource_version:
                raise conflict(resource.group_resource, current.name, MODIFIED)
            change(obj)

        return await self.update(resource, current, change_revision, subresource=subresource)

    async def review(self, resource: Resource, obj: ApiObject, namespace: str = "") -> Document:
        """Create an object that is evaluated but never stored, such as a SubjectAccessReview.

        Returns the object with its status. Raises ApiError if the object is refused.
        """
        context = self._context(namespace)
        work = self._registry.store(resource).answer(obj, context)
        return (await self._observed(work, "create", resource, context)).document

    async def apply(
        self, resource: Resource, namespace: str, name: str, fields: Document, *, subresource: str = ""
    ) -> StoredObject:
        """Write top-level fields of an object by server-side apply, with force.

        Raises ApiError if the write is refused.
        """
        context = self._context(namespace)
        work = self._registry.store(resource).apply_forcibly(name, fields, context, subresource=subresource)
        return await self._observed(work, "patch", resource, context, name, subresource)

    async def patch(
        self, resource: Resource, namespace: str, name: str, patch: Patch, *, subresource: str = "", force: bool = False
    ) -> StoredObject:
        """Patch an object or one of its subresources.

        `force` is an option of server-side apply, which creates a missing object. Raises ApiError if the write is
        refused: 404 if the object or subresource does not exist.
        """
        part = resource.subresource(subresource) if subresource else None
        if subresource and not isinstance(part, ObjectSubresource):
            raise not_found(resource.group_resource, name)
        store, context = self._registry.store(resource), self._context(namespace)
        if patch.type == APPLY_PATCH:
            work = store.apply(name, patch, context, part, force=force)
        else:
            work = store.patch(name, patch, context, part)
        return (await self._observed(work, "patch", resource, context, name, subresource))[0]

    async def post(self, resource: Resource, subresource: str, obj: ApiObject, namespace: str) -> Document:
        """Post an object to a subresource such as ``binding`` or ``token``, and return the response.

        Raises ApiError if the request is refused.
        """
        part = resource.subresource(subresource)
        assert isinstance(part, CreateSubresource)
        context = self._context(namespace)
        work = self._registry.store(resource).post(part, obj.metadata.name, obj, context)
        return (await self._observed(work, "create", resource, context, obj.metadata.name, subresource)).document

    async def delete(self, resource: Resource, namespace: str, name: str, options: DeleteOptions) -> Deletion:
        """Delete an object, or mark it as terminating if it has finalizers.

        Returns the object's last revision, and True if it was removed.

        Raises ApiError if the request is refused.
        """
        context = self._context(namespace)
        work = self._registry.store(resource).delete(name, options, context)
        return await self._observed(work, "delete", resource, context, name)

    async def delete_collection(self, resource: Resource, namespace: str, options: DeleteOptions) -> None:
        """Delete all objects of a resource in a namespace. Raises ApiError if a deletion is refused."""
        context = self._context(namespace)
        work = self._registry.store(resource).delete_collection(ListOptions(), options, context)
        await self._observed(work, "deletecollection", resource, context)

    @property
    def _is_observed(self) -> bool:
        return self._faults.present or self._log.options.controllers

    def _observed(
        self,
        work: Coroutine[Any, Any, T],
        verb: str,
        resource: Resource,
        context: WriteContext,
        name: str = "",
        subresource: str = "",
    ) -> Coroutine[Any, Any, T]:
        """Return a coroutine that performs the controller's request `work` and returns its result.

        Injected faults apply to the request. The request is logged if the request log includes requests of controllers.
        The other parameters describe the request, for the comparison with fault rules and for the log. If the
        controller impersonates a user, the coroutine performs the request only if this user is allowed to make it.
        """
        is_impersonating = self._user is not LOOPBACK
        if not is_impersonating and not self._is_observed:
            return work
        target = Target(resource.group, resource.version, context.namespace, resource.plural, name, subresource)
        if is_impersonating:
            work = self._authorized(work, verb, target)
        if not self._is_observed:
            return work
        asker = ControllerAsker(self._manager, verb, resource, context.namespace, name, self._user)
        asker = asker.of_subresource(subresource)
        if self._faults.present:
            work = run_with_faults(self._registry, asker, work)
        if not self._log.options.controllers:
            return work
        request = asker.request = ControllerRequest(self._log, verb, target, context)
        return request.answered(work)

    async def _read(self, resource: Resource, namespace: str, name: str) -> StoredObject:
        """Read an object for the controller. An injected fault may return an old revision."""
        asker = ControllerAsker(self._manager, "get", resource, namespace, name)
        return await self._registry.as_read_by(asker, resource, None, ListOptions()).get(namespace, name)

    def _context(self, namespace: str) -> WriteContext:
        return WriteContext(namespace=namespace, manager=self._manager, user=self._user)

    async def _authorized(self, work: Coroutine[Any, Any, T], verb: str, target: Target) -> T:
        """Perform the request `work` on `target` if the impersonated user is allowed to make it.

        Raises ApiError 403 if the user is not allowed, and 500 if the authorizer fails.
        """
        where = target.namespace, target.group, target.version, target.resource, target.subresource, target.name
        attributes = Attributes(self._user, verb, *where)
        try:
            decision = await self._registry.kind_services.authorizer.decide(attributes)
            if decision.error and not decision.allowed:
                raise ApiError(500, "InternalError", f"Internal Server Error: {decision.error}")
            if not decision.allowed:
                raise forbidden_request(attributes, decision.reason)
        except BaseException:
            work.close()
            raise
        return await work
