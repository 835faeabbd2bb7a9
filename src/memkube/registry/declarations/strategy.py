"""The strategy of a kind: hooks that customize the generic create, update and delete.

Every hook has a default, so that a kind implements only what differs. Hooks are called in kube-apiserver's order
(apiserver ``registry/rest``, ``registry/generic/registry/store.go``). Create calls default, begin_create,
prepare_for_create, validate and warnings_on_create. Update calls default, authorize_update, begin_update,
prepare_for_update, validate_update and warnings_on_update. A begin hook returns a function that is called after the
write, with True if the write succeeded.
"""

from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.time import Time
from memkube.registry.declarations.interface import Deletion, Finish, ObjectStore, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject

M = TypeVar("M", bound=ApiObject)
FieldPaths: TypeAlias = tuple[tuple[str, ...], ...]
GarbageCollection: TypeAlias = Literal["orphan", "background", "unsupported"]


class ConversionError(Exception):
    """Raised by :meth:`Strategy.default` if an object cannot be converted to kube-apiserver's internal version.

    `message` says why. The status code and the rest of the message depend on the verb.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Strategy(Generic[M]):
    """The rules of one kind: settings and hooks (methods) that the generic create, update and delete use."""

    allow_create_on_update: ClassVar[bool] = False
    """True if a PUT creates an object that does not exist."""
    allow_unconditional_update: ClassVar[bool] = True
    """True if a PUT without a resourceVersion replaces the newest revision."""
    garbage_collection: ClassVar[GarbageCollection] = "background"
    """Propagation policy of a DELETE whose DeleteOptions do not contain any."""
    graceful: ClassVar[bool] = False
    """True if a deleted object can stay in storage as terminating for a grace period: see :meth:`grace_period`."""
    returns_deleted: ClassVar[bool] = False
    """True if the response to a DELETE is the object instead of a Status."""
    interns_spec: ClassVar[bool] = False
    """True if objects with equal specs share one spec model: see `objects.interned_specs`.

    This requires that defaults of the spec depend on the spec alone, that :meth:`default` does not change an interned
    spec but leaves it to :meth:`default_spec`, and that no hook changes a spec after prepare_for_create or
    prepare_for_update.
    """
    settles_later: ClassVar[bool] = False
    """True if the first update of an object is always written, even if it changes nothing.

    kube-apiserver stores such objects without some of their defaults and sets these defaults on every read. Therefore
    it regards the first update as a change.
    """
    suffixes_names: ClassVar[bool] = True
    """True if the server appends a random suffix to generateName; False if the prefix itself becomes the name."""
    validates_metadata: ClassVar[bool] = False
    """True if :meth:`validate` also validates the metadata of new objects.

    The generic validation of metadata is then skipped.
    """
    validates_changed_metadata: ClassVar[bool] = False
    """True if :meth:`validate_update` also validates metadata.

    The generic validation of metadata then runs only if :meth:`validate_update` finds an error.
    """
    reset_fields: ClassVar[FieldPaths] = ()
    """Paths of the fields that the strategy resets on every write. Field managers cannot own these fields."""

    def default(self, obj: M, /) -> None:
        """Set the defaults of a decoded object, before admission.

        Raises ConversionError if an annotation that stands for a field of the internal version cannot be parsed.
        """

    def default_spec(self, spec: Any, /) -> None:
        """Set the defaults of a spec.

        If several objects share the spec, this method is called once for all of them.
        """

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Reserve resources for a new object, such as IP addresses (BeginCreate).

        Called after mutating admission, when the object has its name and uid. Return a function that is called after
        the write: with True if the write succeeded, and with False if it failed, so that it releases the resources. In
        a dry run (``context.dry_run``), reserve nothing: the function is called with True although nothing is stored,
        so the resources would never be released. Raises ApiError if the resources are not available.
        """
        return None

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """Reset or set fields that clients cannot choose. Return warnings.

        Called after admission.
        """
        return []

    def validate(self, obj: M, /) -> list[FieldError]:
        """Return the validation errors of a new object, in kube-apiserver's order."""
        return []

    async def find_errors(self, obj: M, context: WriteContext) -> list[FieldError]:
        """Return the errors of :meth:`validate`, and of checks that run in a thread or ask another server.

        Raises ApiError if a check cannot be made.
        """
        return self.validate(obj)

    def canonicalize(self, obj: M, /) -> None:
        """Convert a valid object to its canonical form, as the last step before validating admission."""

    def take_stored_form(self, obj: M, /) -> None:
        """Convert values to those that storage returns for them, such as ``1.0`` to 1, after validating admission."""

    def fill_as_read(self, obj: M, /) -> bool:
        """Set fields that kube-apiserver does not store but sets on every read of the object.

        Return True if any field was set. kube-apiserver's stored object lacks such a field, so that kube-apiserver
        writes the next update even if it changes nothing. If the result is True, this server does so too.
        """
        return False

    def warnings_on_create(self, obj: M, /) -> list[str]:
        """Return warnings about a new object, which the response contains as Warning headers."""
        return []

    async def authorize_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> None:
        """Raise ApiError 403 if the user must not make this update, although the user may update the object.

        Called after mutating admission, and before the check of the resourceVersion (``WrapUpdatedObjectInfo``).
        """

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Reserve resources for an update (BeginUpdate).

        Return a function that is called after the write: with True if the write succeeded, and with False if it failed,
        so that it releases the resources. After a write conflict, it is called with False, and then this hook is called
        again. Raises ApiError if the resources are not available.
        """
        return None

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Reset the fields of `new` that this update cannot change to their values in `old`.

        Called after admission. Must not modify `old`.
        """

    def validate_update(self, new: M, old: M, /) -> list[FieldError]:
        """Return the validation errors of an update, except those of metadata."""
        return []

    async def find_update_errors(self, new: M, old: M, context: WriteContext) -> list[FieldError]:
        """Return the errors of an update from `old` to `new`: of :meth:`validate_update`, and of slow checks.

        Slow checks run in a thread or ask another server, so they cannot be part of `validate_update`, which does not
        wait. Raises ApiError if a slow check fails to run.
        """
        return self.validate_update(new, old)

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        """Return warnings about an updated object, which the response contains as Warning headers."""
        return []

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Return warnings about a DELETE of an object or of a collection."""
        return []

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Handle a DELETE of the object `name` in `store` in place of the generic deletion, and return its result.

        Return None to let the generic deletion follow. Raise ApiError to reject the deletion.
        """
        return None

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Release resources that a removed object had reserved (AfterDelete). Not called in a dry run."""

    def grace_period(self, obj: M, options: DeleteOptions) -> int | None:
        """Return the grace period of a deleted object in seconds; None to remove the object at once.

        Called only if `graceful` is True.
        """
        return None

    def removes_emptied(self, new: M) -> bool:
        """Return True if removing the last finalizer of a terminating object also removes the object from storage."""
        return True


class SpecStrategy(Strategy[M]):
    """Strategy of kinds with ``spec`` and ``status``. A change of the spec increments ``metadata.generation``."""

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """Clear the status and set ``metadata.generation`` to 1."""
        created: Any = obj
        created.status = type(created.status)()
        obj.metadata.generation = 1
        self.drop_disabled(obj, None)
        return []

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Reset the status to the stored one. Increment ``metadata.generation`` if the spec changed."""
        changed: Any = new
        current: Any = old
        changed.status = current.status
        self.drop_disabled(new, old)
        if self.is_new_generation(new, old):
            new.metadata.generation = old.metadata.generation + 1

    def drop_disabled(self, new: M, old: M | None, /) -> None:
        """Clear fields of disabled feature gates, unless the stored object uses the fields (DropDisabledFields)."""

    def is_new_generation(self, new: M, old: M) -> bool:
        """Return True if the update increments ``metadata.generation``."""
        changed: Any = new
        current: Any = old
        return bool(changed.spec != current.spec)


class StatusStrategy(Strategy[M]):
    """Mixin for writes to the ``status`` subresource. As a base class, it must precede the strategy of the kind."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Reset the spec to the stored one."""
        changed: Any = new
        current: Any = old
        changed.spec = current.spec

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        return []
