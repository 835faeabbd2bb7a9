"""The strategy of a kind: hooks that customize the generic create, update and delete.

Every hook has a default, so that a kind implements only what differs. Hooks are called in kube-apiserver's order
(apiserver ``registry/rest``, ``registry/generic/registry/store.go``). Create calls default, begin_create,
prepare_for_create, validate and warnings_on_create. Update calls default, begin_update, prepare_for_update,
validate_update and warnings_on_update. A begin hook returns a function that is called after the write, with True if the
write succeeded.
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


class Strategy(Generic[M]):
    """The rules of one kind: settings and hooks (methods) that the generic create, update and delete use."""

    allow_create_on_update: ClassVar[bool] = False
    """True if a PUT creates an object that does not exist."""
    allow_unconditional_update: ClassVar[bool] = True
    """True if a PUT without a resourceVersion replaces the newest revision."""
    garbage_collection: ClassVar[GarbageCollection] = "background"
    """Default propagation policy of a DELETE."""
    graceful: ClassVar[bool] = False
    """True if deleted objects may remain terminating for a grace period: see :meth:`grace_period`."""
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

    kube-apiserver stores such objects without some defaults and sets these on reading, so it detects a change.
    """
    suffixes_names: ClassVar[bool] = True
    """True if generated names get a random suffix."""
    validates_metadata: ClassVar[bool] = False
    """True if :meth:`validate` also validates the metadata of new objects, so that the generic validation is
    skipped."""
    validates_changed_metadata: ClassVar[bool] = False
    """True if :meth:`validate_update` also validates metadata; the generic validation runs only if it finds an
    error."""
    reset_fields: ClassVar[FieldPaths] = ()
    """Paths of fields that the strategy resets on every write, so that no field manager can own them."""

    def default(self, obj: M, /) -> None:
        """Set the defaults of a decoded object. Called before admission."""

    def default_spec(self, spec: Any, /) -> None:
        """Set the defaults of a spec. Called once for a spec that several objects share."""

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Reserve resources for a new object, such as IP addresses.

        Return a function that ends the reservation (BeginCreate).

        Called after mutating admission, when the object has its name and uid. In a dry run (``context.dry_run``), the
        function is called with True too, so nothing may be reserved. Raises ApiError if nothing can be reserved.
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
        """Return the errors of :meth:`validate` and of checks that are too slow for the event loop.

        Raises ApiError if a check cannot be made.
        """
        return self.validate(obj)

    def canonicalize(self, obj: M, /) -> None:
        """Convert a valid object to its canonical form, as the last step before it is stored."""

    def fill_as_read(self, obj: M, /) -> bool:
        """Set fields that kube-apiserver does not store but sets on every read of the object.

        Return True if any field was set, so that the next update is written even if it changes nothing.
        """
        return False

    def warnings_on_create(self, obj: M, /) -> list[str]:
        """Return warnings about a new object."""
        return []

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Reserve resources for an update. Return a function that ends the reservation (BeginUpdate).

        After a conflict, the function is called with False, and then this hook is called again. Raises ApiError if
        nothing can be reserved.
        """
        return None

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restore fields of `new` that this update cannot change. Called after admission. Must not modify `old`."""

    def validate_update(self, new: M, old: M, /) -> list[FieldError]:
        """Return the validation errors of an update, except those of metadata."""
        return []

    async def find_update_errors(self, new: M, old: M, context: WriteContext) -> list[FieldError]:
        """Return the errors of :meth:`validate_update` and of checks that are too slow for the event loop."""
        return self.validate_update(new, old)

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        """Return warnings about an update."""
        return []

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Return warnings about a DELETE of an object or of a collection."""
        return []

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Handle a DELETE instead of the generic deletion, or return None for the generic deletion.

        Raises ApiError to reject the deletion.
        """
        return None

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Release resources that a removed object had reserved (AfterDelete). Not called in a dry run."""

    def grace_period(self, obj: M, options: DeleteOptions) -> int | None:
        """Return the grace period in seconds of a deleted object; None to remove the object at once.

        Called only if `graceful` is True.
        """
        return None

    def removes_emptied(self, new: M) -> bool:
        """Return True if an update that removes the last finalizer of a terminating object also removes the object."""
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
        """Restore the stored status, and increment ``metadata.generation`` if the spec changed."""
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
    """Mixin for writes to the ``status`` subresource. It must precede the strategy of the kind in the list of bases."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restore the stored spec."""
        changed: Any = new
        current: Any = old
        changed.spec = current.spec

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        return []
