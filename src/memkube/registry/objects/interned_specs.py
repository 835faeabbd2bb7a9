"""Interned specs: objects with equal specs, such as pods of one template, share one copy of the spec.

Defaulting, validation and field ownership take most of the time of a create, and give the same result for equal specs.
All results that depend only on the spec are cached by the JSON of the spec. Strategies enable this by
:attr:`~memkube.registry.declarations.strategy.Strategy.interns_spec`.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar, cast

import orjson
from pydantic import ValidationError

from memkube.apimachinery.decoding.json_body import may_have_duplicates
from memkube.apimachinery.forms import Decoded, ModelForm
from memkube.apimachinery.managed_fields import FieldSet, fields_of_new
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema

M = TypeVar("M", bound=ApiObject)
S = TypeVar("S", bound=ApiModel)
T = TypeVar("T")

ORIGIN: Final = "interned"
"""Name of the attribute in which a spec model refers to the InternedSpec that it was copied from.

The model may have been changed since it was copied.
"""
MOST_BYTES: Final = 512 * 1024
"""Maximum total size of a resource's interned specs, as bytes of JSON. They take about ten times as much memory."""
_LONGEST: Final = 16 * 1024
_MOST_SEEN: Final = 4096


class InternedSpec:
    """A spec, with defaults set, which all objects with an equal spec share. It must not be changed."""

    __slots__ = ("_facts", "_spare", "admitted", "document", "fields", "is_complete", "model", "text")

    def __init__(self, model: ApiModel, document: Document, fields: FieldSet, text: bytes) -> None:
        self._facts: dict[Hashable, Any] = {}
        self._spare: ApiModel | None = None
        self.model = model
        self.document = document
        """JSON data of the spec, which is part of the documents of all objects with this spec."""
        self.fields = fields
        """Managed fields (FieldsV1) of the spec for the creator of an object."""
        self.text = text
        """JSON of the spec, perhaps without defaults, which is its key in the cache."""
        self.is_complete = bool(orjson.loads(text) == document)
        """True if `text` has all defaults, so that a spec with this JSON equals `document`."""
        object.__setattr__(model, ORIGIN, self)
        self.admitted: InternedSpec | None = None
        """The interned spec into which admission and strategy changed this one in the last write."""

    def describes(self, spec: ApiModel) -> bool:
        """Return True if the model `spec` equals the interned spec."""
        return self.model is spec or self.model == spec

    def lend(self) -> ApiModel | Document:
        """Return a model of the spec that the caller may change, or JSON data to create such a model from.

        The result is a model if an earlier caller has given one back (:meth:`give_back`), because reusing a model saves
        time. Otherwise it is the JSON data of the spec, which all objects with this spec share.
        """
        spare, self._spare = self._spare, None
        return self.document if spare is None else spare

    def instance(self, model: type[M], document: Document) -> M:
        """Return `document` as an instance of `model` with a copy of this spec, which the caller may change.

        Raises pydantic's ValidationError if the rest of the document does not match.
        """
        obj = model.model_validate({**document, "spec": self.lend()})
        object.__setattr__(obj.spec, ORIGIN, self)  # type: ignore[attr-defined]
        return obj

    def give_back(self, spec: ApiModel) -> None:
        """Keep the unchanged model `spec` for the next call of :meth:`lend`, because creating a model is slow."""
        self._spare = spec

    def fact(self, about: Hashable, find: Callable[[], T]) -> T:
        """Return the result of `find`, which is called once for each key `about`. The result is cached in this spec."""
        facts = self._facts
        if about not in facts:
            facts[about] = find()
        return cast("T", facts[about])


def interned_spec_of(spec: ApiModel) -> InternedSpec | None:
    """Return the interned spec from which the model `spec` was copied; None if it was not copied from one.

    As long as the model equals the interned spec, defaulting, validation and warnings use the facts that are cached in
    the interned spec. Both are equal after the object has been decoded. If admission then changes the model,
    :meth:`InternedSpecs.intern_admitted` links the model to another interned spec, which equals the changed model.
    """
    return getattr(spec, ORIGIN, None)


def either(spec: S, old: S) -> S:
    """Return one of two equal models of a spec: `old` if it is the model of an interned spec, otherwise `spec`.

    The caller must not use the other model afterwards, because it may be reused for another object.
    """
    known = interned_spec_of(old)
    if known is None or known.model is not old:
        return spec
    if spec is not old and interned_spec_of(spec) is known:
        known.give_back(spec)
    return old


class InternedSpecs:
    """The interned specs of one resource.

    A spec is interned when a second object has it. If the cache is full, the least recently used spec is evicted.
    """

    def __init__(self, form: ModelForm[ApiObject], fill: Callable[[Any], None]) -> None:
        """Create the cache for objects that `form` decodes. `fill` is a function that sets the defaults of a spec."""
        self._model: type[ApiModel] = form.model.model_fields["spec"].annotation  # type: ignore[assignment]
        self._struct = form.struct
        self._fill = fill
        self._known: OrderedDict[bytes, InternedSpec] = OrderedDict()
        self._by_document: dict[int, InternedSpec] = {}
        self._size = 0
        self._seen: dict[int, str | None] = {}
        """Hashes of specs that have occurred in one object, each with the uid of that object.

        The uid is empty if the object had none yet. It is None if the spec cannot be interned.
        """

    def __len__(self) -> int:
        return len(self._known)

    def find(self, data: object) -> InternedSpec | None:
        """Return the interned spec that equals the JSON data `data` of a new object's spec.

        None if no other object has had this spec, or if it cannot be interned.
        """
        return self._holding(data) or self._equal(data, "")

    def find_stored(self, document: object, uid: str) -> InternedSpec | None:
        """Return the interned spec that equals `document`, the JSON data of a stored object's spec.

        `uid` is the uid of the object: a spec that only one object has is not interned, however often it is read.
        Returns None if no interned spec equals it, for example because `document` lacks a default that the interned
        spec has.
        """
        if (held := self._holding(document)) is not None:
            return held
        known = self._equal(document, uid)
        return known if known is not None and known.is_complete else None

    def _holding(self, document: object) -> InternedSpec | None:
        """Return the InternedSpec whose document is the Python object `document`; None if no InternedSpec has it."""
        known = self._by_document.get(id(document))
        if known is None or known.document is not document:
            return None
        self._known.move_to_end(known.text)
        return known

    def _equal(self, data: object, uid: str) -> InternedSpec | None:
        if not isinstance(data, dict):
            return None
        try:
            text = orjson.dumps(data)
        except orjson.JSONEncodeError:
            return None
        if (known := self._found(text)) is not None or not self._met_again(text, uid):
            return known
        try:
            model = self._model.model_validate(data)
        except ValidationError:
            self._seen[hash(text)] = None
            return None
        if _has_empty_values(model):
            # Specs with an empty list or map are not interned: validation distinguishes empty from missing values, but
            # the JSON of a spec does not contain empty values.
            self._seen[hash(text)] = None
            return None
        self._fill(model)
        return self._keep(text, model)

    def intern_admitted(self, obj: ApiObject) -> InternedSpec | None:
        """Return the interned spec that equals the spec of `obj` after admission, which may have changed the spec.

        If no interned spec equals it, the spec is interned now. Returns None if the spec of `obj` was not copied from
        an interned spec when the object was decoded, or if it cannot be interned.
        """
        spec: ApiModel = obj.spec  # type: ignore[attr-defined]
        origin = interned_spec_of(spec)
        if origin is None:
            return None
        # Admission usually changes equal specs in the same way, so first compare the spec with the result of the last
        # write of such a spec.
        if origin.admitted is None or not origin.admitted.describes(spec):
            if origin.describes(spec):
                return origin
            text = orjson.dumps(spec.to_document())
            origin.admitted = self._found(text)
            if origin.admitted is None and self._met_again(text, obj.metadata.uid):
                origin.admitted = self._keep(text, spec)
        object.__setattr__(spec, ORIGIN, origin.admitted)
        return origin.admitted

    def _found(self, text: bytes) -> InternedSpec | None:
        known = self._known.get(text)
        if known is not None:
            self._known.move_to_end(text)
        return known

    def _met_again(self, text: bytes, uid: str) -> bool:
        """Return True if a spec with this JSON has occurred in another object and can be interned.

        Record that it occurs in the object with this `uid`, which is empty for a new object.
        """
        key = hash(text)
        if key not in self._seen:
            self._seen[key] = uid if len(text) <= _LONGEST else None
            if len(self._seen) > _MOST_SEEN:
                del self._seen[next(iter(self._seen))]
            return False
        first = self._seen[key]
        if uid and first in ("", uid):
            # The spec may have occurred in the same object before, when that was being created and had no uid.
            self._seen[key] = uid
            return False
        return first is not None

    def _keep(self, text: bytes, model: ApiModel) -> InternedSpec | None:
        own = self._model.model_validate(model.to_document())
        document = own.to_document()
        fields = fields_of_new(self._struct, {"spec": document})
        if own != model or fields is None:
            self._seen[hash(text)] = None
            return None
        known = self._known[text] = self._by_document[id(document)] = InternedSpec(own, document, fields, text)
        self._size += len(text)
        while self._size > MOST_BYTES:
            _, oldest = self._known.popitem(last=False)
            del self._by_document[id(oldest.document)]
            self._size -= len(oldest.text)
        return known


def _has_empty_values(value: object) -> bool:
    """Return True if `value`, a decoded struct or a field of it, contains an empty list or map that the client sent."""
    if isinstance(value, ApiModel):
        given = value.model_fields_set
        return any(
            _has_empty_values(item) or (isinstance(item, list | dict) and not item and name in given)
            for name, item in value.__dict__.items()
        )
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(map(_has_empty_values, value))


class InterningForm(Generic[M]):
    """Decoder of objects that uses the interned spec, instead of decoding the spec, if an equal spec is interned."""

    def __init__(self, form: ModelForm[M], specs: InternedSpecs) -> None:
        self._form = form
        self._specs = specs

    @property
    def struct(self) -> StructSchema:
        return self._form.struct

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M]:
        if body is not None and may_have_duplicates(body, data):
            return self._form.decode(data, body)
        return self._known(data) or self._form.decode(data, body)

    def convert(self, document: Document) -> Decoded[M]:
        return self._known(document) or self._form.convert(document)

    def _known(self, data: Any) -> Decoded[M] | None:
        if not isinstance(data, dict):
            return None
        known = self._specs.find(data.get("spec"))
        if known is None:
            return None
        try:
            return Decoded(known.instance(self._form.model, data))
        except ValidationError:
            return None
