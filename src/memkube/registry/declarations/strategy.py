"""What a kind adds to the generic verbs.

Every hook has a default, so that a simple kind writes only what differs. The order in which hooks run is that
of the reference (apiserver ``registry/rest``, ``registry/generic/registry/store.go``): create runs default,
begin_create, prepare_for_create, validate, warnings; update runs default, begin_update, prepare_for_update,
validate_update, warnings; what began is finished when the write has come to be, or has not.
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
    """How objects of one kind are created, changed and deleted."""

    allow_create_on_update: ClassVar[bool] = False
    """PUT of a missing object creates it."""
    allow_unconditional_update: ClassVar[bool] = True
    """PUT without a resourceVersion replaces whatever is there."""
    garbage_collection: ClassVar[GarbageCollection] = "background"
    """What becomes of dependents when a DELETE does not say."""
    graceful: ClassVar[bool] = False
    """Deletion may leave the object terminating for a while: see :meth:`grace_period`."""
    returns_deleted: ClassVar[bool] = False
    """DELETE answers the object instead of a Status."""
    interns_spec: ClassVar[bool] = False
    """The defaults of a spec depend on nothing else, :meth:`default` leaves them to :meth:`default_spec` where a spec
    is interned already, and nothing touches a spec once it is prepared: see `objects.interned_specs`."""
    settles_later: ClassVar[bool] = False
    """An object's first update is written even if it changes nothing.

    So it is where the reference stores a new object without what reading it fills in, and then finds a difference.
    """
    suffixes_names: ClassVar[bool] = True
    """What ``generateName`` asks for ends with random letters."""
    validates_metadata: ClassVar[bool] = False
    """`validate` refuses all metadata of a new object that the general rules refuse, which are not asked once more."""
    validates_changed_metadata: ClassVar[bool] = False
    """The same of `validate_update`, where the general rules are asked if it refuses anything."""
    reset_fields: ClassVar[FieldPaths] = ()
    """What this strategy takes back from every write, so that nobody comes to own it."""

    def default(self, obj: M, /) -> None:
        """Fills fields that the client left empty. Runs on every decoded object, before admission."""

    def default_spec(self, spec: Any, /) -> None:
        """Fills what the client left empty of a spec that may be interned."""

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Reserves what a new object needs, and returns how that ends (BeginCreate).

        Runs after mutating admission; the object has its name and uid. A dry run that gets so far ends with True,
        as in the reference: what ``context.dry_run`` reserves is not to be kept. Raises ApiError.
        """
        return None

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """Clears or sets what clients may not decide; returns texts of Warning headers. Runs after admission."""
        return []

    def validate(self, obj: M, /) -> list[FieldError]:
        """The rules that a new object breaks, in the reference's order."""
        return []

    async def find_errors(self, obj: M, context: WriteContext) -> list[FieldError]:
        """What :meth:`validate` finds, and what takes so long that others must be served meanwhile. Raises ApiError."""
        return self.validate(obj)

    def canonicalize(self, obj: M, /) -> None:
        """The last touch on an object that has been found valid."""

    def fill_as_read(self, obj: M, /) -> bool:
        """Fills what the reference does not store, but finds empty and fills whenever it reads the object.

        True if there was anything, so that the next update is written even if it changes nothing.
        """
        return False

    def warnings_on_create(self, obj: M, /) -> list[str]:
        """Texts of Warning headers for an accepted new object."""
        return []

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Reserves what a change needs, and returns how that ends (BeginUpdate).

        Runs again where another write came between, after the first attempt has been finished with False. Raises
        ApiError.
        """
        return None

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """Restores what this update may not touch. Runs after admission; `old` must stay as it is."""

    def validate_update(self, new: M, old: M, /) -> list[FieldError]:
        """The rules that the change breaks, behind those about metadata."""
        return []

    async def find_update_errors(self, new: M, old: M, context: WriteContext) -> list[FieldError]:
        """The same for :meth:`validate_update`."""
        return self.validate_update(new, old)

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        """Texts of Warning headers for an accepted change."""
        return []

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Texts of Warning headers for a DELETE of an object or of a collection."""
        return []

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """May settle a DELETE in its own way; None leaves it to the generic one. Raises ApiError."""
        return None

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Releases what a removed object held (AfterDelete). Does not run in a dry run."""

    def grace_period(self, obj: M, options: DeleteOptions) -> int | None:
        """Seconds that a DELETE leaves the object terminating; None deletes at once. Asked where `graceful`."""
        return None

    def removes_emptied(self, new: M) -> bool:
        """Whether a terminating object may go with the update that leaves it without finalizers."""
        return True


class SpecStrategy(Strategy[M]):
    """For kinds whose ``spec`` is the clients' and whose ``status`` is not: a changed spec is a new generation.

    `M` has both fields. The reference repeats these rules in the strategy of each such kind.
    """

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def prepare_for_create(self, obj: M, now: Time, /) -> list[str]:
        """A new object has no status yet."""
        created: Any = obj
        created.status = type(created.status)()
        obj.metadata.generation = 1
        self.drop_disabled(obj, None)
        return []

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """The status stays."""
        changed: Any = new
        current: Any = old
        changed.status = current.status
        self.drop_disabled(new, old)
        if self.is_new_generation(new, old):
            new.metadata.generation = old.metadata.generation + 1

    def drop_disabled(self, new: M, old: M | None, /) -> None:
        """Clears fields that no feature reads, unless they are in use (DropDisabledFields)."""

    def is_new_generation(self, new: M, old: M) -> bool:
        """Whether the change is one that controllers have to follow."""
        changed: Any = new
        current: Any = old
        return bool(changed.spec != current.spec)


class StatusStrategy(Strategy[M]):
    """Writes to ``status``: the spec stays, and nobody is warned. Stands before the kind's own among the bases."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: M, old: M, /) -> None:
        """The spec stays."""
        changed: Any = new
        current: Any = old
        changed.spec = current.spec

    def warnings_on_update(self, new: M, old: M, /) -> list[str]:
        """See Strategy."""
        return []
