"""The strategy of a kind: the hooks by which it changes the generic verbs.

Every hook has a default, so that a simple kind declares only its differences. The order is that of the reference
(apiserver ``registry/rest``, ``registry/generic/registry/store.go``). Create calls default, begin_create,
prepare_for_create, validate and warnings_on_create. Update calls default, begin_update, prepare_for_update,
validate_update and warnings_on_update. What a begin hook returns is called at the end, with True if the write
succeeded.
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
    """The hooks of one kind for creation, update and deletion."""

    allow_create_on_update: ClassVar[bool] = False
    """True if a PUT of a missing object creates it."""
    allow_unconditional_update: ClassVar[bool] = True
    """True if a PUT without a resourceVersion replaces the newest revision."""
    garbage_collection: ClassVar[GarbageCollection] = "background"
    """Propagation policy of a DELETE without one."""
    graceful: ClassVar[bool] = False
    """True if a deletion may leave the object terminating for a grace period: see :meth:`grace_period`."""
    returns_deleted: ClassVar[bool] = False
    """True if DELETE answers with the object instead of a Status."""
    interns_spec: ClassVar[bool] = False
    """True if equal specs share one model: see `objects.interned_specs`.

    The defaults of a spec must depend on the spec alone, :meth:`default` must leave an interned spec to
    :meth:`default_spec`, and no hook may change a spec after it has been prepared.
    """
    settles_later: ClassVar[bool] = False
    """True if the first update of an object is written even if it changes nothing.

    The reference stores such an object without defaults that it fills in on reading, and finds a difference then.
    """
    suffixes_names: ClassVar[bool] = True
    """True if a generated name ends with random letters."""
    validates_metadata: ClassVar[bool] = False
    """True if `validate` checks the metadata of a new object, so that the generic rules are skipped."""
    validates_changed_metadata: ClassVar[bool] = False
    """True if `validate_update` checks metadata too. The generic rules run only if it finds an error."""
    reset_fields: ClassVar[FieldPaths] = ()
    """Paths of fields that this strategy resets on every write, so that no manager owns them."""

    def default(self, obj: M, /) -> None:
        """Set the defaults of a decoded object. Called before admission."""

    def default_spec(self, spec: Any, /) -> None:
        """Set the defaults of a spec that may be interned."""

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Reserve what a new object needs; return a function that ends the reservation (BeginCreate).

        Called after mutating admission; the object has its name and uid. In a dry run, the returned function is called
        with True as well, so that ``context.dry_run`` must not reserve anything. Raises ApiError if there is nothing to
        reserve.
        """
        return None

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """Reset or set the fields that clients may not choose; return texts of Warning headers.

        Called after admission.
        """
        return []

    def validate(self, obj: M, /) -> list[FieldError]:
        """Return the errors of a new object, in the reference's order."""
        return []

    async def find_errors(self, obj: M, context: WriteContext) -> list[FieldError]:
        """Return the errors of :meth:`validate`, and those whose checks would block the event loop.

        Raises ApiError if a check cannot be made.
        """
        return self.validate(obj)

    def canonicalize(self, obj: M, /) -> None:
        """Bring a valid object into its canonical form, as the last step before it is stored."""

    def fill_as_read(self, obj: M, /) -> bool:
        """Fill fields that the reference does not store and fills in whenever it reads the object.

        Returns True if any was filled, so that the next update is written even if it changes nothing.
        """
        return False

    def warnings_on_create(self, obj: M, /) -> list[str]:
        """Return texts of Warning headers for a new object."""
        return []

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Reserve what a change needs; return a function that ends the reservation (BeginUpdate).

        Called again after a conflict, when the first attempt has been ended with False. Raises ApiError if there is
        nothing to reserve.
        """
        return None

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restore the fields that this update may not change. Called after admission; `old` must not be changed."""

    def validate_update(self, new: M, old: M, /) -> list[FieldError]:
        """Return the errors of a change, besides those of its metadata."""
        return []

    async def find_update_errors(self, new: M, old: M, context: WriteContext) -> list[FieldError]:
        """Return the errors of :meth:`validate_update`, and those whose checks would block the event loop."""
        return self.validate_update(new, old)

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        """Return texts of Warning headers for a change."""
        return []

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Return texts of Warning headers for a DELETE of an object or of a collection."""
        return []

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Handle a DELETE instead of the generic deletion; return None to leave it to that.

        Raises ApiError to refuse the deletion.
        """
        return None

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Release what a removed object had reserved (AfterDelete). Not called in a dry run."""

    def grace_period(self, obj: M, options: DeleteOptions) -> int | None:
        """Return the seconds for which a deleted object is terminating; None to remove it at once.

        Called only if `graceful` is True.
        """
        return None

    def removes_emptied(self, new: M) -> bool:
        """Return True if an update that removes the last finalizer of a terminating object removes the object."""
        return True


class SpecStrategy(Strategy[M]):
    """Strategy of kinds with a ``spec`` and a ``status``: a changed spec increments the generation.

    `M` must have both fields. The reference repeats these rules in the strategy of each such kind.
    """

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """Reset the status and set the generation to 1."""
        created: Any = obj
        created.status = type(created.status)()
        obj.metadata.generation = 1
        self.drop_disabled(obj, None)
        return []

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restore the stored status, and increment the generation if the spec changed."""
        changed: Any = new
        current: Any = old
        changed.status = current.status
        self.drop_disabled(new, old)
        if self.is_new_generation(new, old):
            new.metadata.generation = old.metadata.generation + 1

    def drop_disabled(self, new: M, old: M | None, /) -> None:
        """Clear fields of disabled feature gates, unless the stored object uses them (DropDisabledFields)."""

    def is_new_generation(self, new: M, old: M) -> bool:
        """Return True if the change increments the generation."""
        changed: Any = new
        current: Any = old
        return bool(changed.spec != current.spec)


class StatusStrategy(Strategy[M]):
    """Strategy of writes to the ``status`` subresource. Must precede the strategy of the kind among the bases."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restore the stored spec."""
        changed: Any = new
        current: Any = old
        changed.spec = current.spec

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        return []
