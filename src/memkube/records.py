"""Dataclasses whose methods are made when they are first used.

The standard library writes and compiles the source of up to seven methods while a class is defined, which for the two
hundred classes of a server that starts took a quarter of its time. Most of those methods are never called. What is made
here is a dataclass to whoever looks: `dataclasses.fields`, `replace`, `asdict` and `match` take it for one.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T", bound=type)
_FACTORY = object()
"""Stands for an argument that was left out, and that a factory makes."""


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Callable[[T], T]:
    """As `dataclasses.dataclass`, without the parameters that nobody here has use for."""

    def made(defined: T) -> T:
        if not defined.__doc__:
            # The standard library would look for a signature, which takes as long as all else.
            defined.__doc__ = defined.__name__
        cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(defined)
        own = dict(vars(cls))
        methods: dict[str, Any] = {"__init__": _init_on_use(cls, frozen=frozen), "__repr__": _repr}
        if eq:
            methods["__eq__"] = _eq_of(cls)
            if own.get("__hash__") is None:
                methods["__hash__"] = _hash_of(cls) if frozen else None
                own.pop("__hash__", None)
        if frozen:
            methods |= _frozen(cls)
            if slots:
                methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
        for name, method in methods.items():
            if name not in own:
                setattr(cls, name, method)
        if "__init__" not in own:
            cls.__signature__ = _Signature(cls, partial(_init_of, cls, frozen=frozen))
        complete: T = cls
        return complete

    return made


class _Signature:
    """What `inspect.signature` asks a class for."""

    def __init__(self, cls: type, init: Callable[[], Callable[..., None]]) -> None:
        self._cls, self._init = cls, init

    def __get__(self, instance: object, owner: type) -> Any:
        if owner is not self._cls:
            # A subclass may be made in another way.
            raise AttributeError("__signature__")
        # Its import takes as long as making a class.
        from inspect import signature  # noqa: PLC0415

        return signature(partial(self._init(), None))


def _init_on_use(cls: type, *, frozen: bool) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  stands for the method of that name
        made = _init_of(cls, frozen=frozen)
        # Two threads may come here at once; both make the same.
        cls.__init__ = made  # type: ignore[misc]  # it is its first caller who makes it
        made(self, *args, **kwargs)

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _init_of(cls: type, *, frozen: bool) -> Callable[..., None]:
    """The method that the standard library would have made, but for annotations."""
    names: dict[str, Any] = {"_FACTORY": _FACTORY, "_set": object.__setattr__}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _FACTORY else {name}" if field.init else f"_make_{name}()"
            default = "=_FACTORY"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            default = f"=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif field.init:
            default = ""
        else:
            continue
        if field.init:
            parameters.append(f"{name}{default}")
        lines.append(_assignment(cls, name, value, names) if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    source = f"def __init__({', '.join(parameters)}):\n {body}"
    exec(source, names)  # noqa: S102  nothing but names of fields, as in the standard library
    made: Callable[..., None] = names["__init__"]
    made.__annotations__ = {field.name: field.type for field in dataclasses.fields(cls) if field.init} | {
        "return": None
    }
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


def _assignment(cls: type, name: str, value: str, names: dict[str, Any]) -> str:
    """Past the method that refuses assignments: by the slot itself, where there is one, which is faster."""
    if isinstance(slot := getattr(cls, name, None), MemberDescriptorType):
        names[f"_set_{name}"] = slot.__set__
        return f"_set_{name}(self, {value})"
    return f"_set(self, {name!r}, {value})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(cls: type, chosen: Callable[["dataclasses.Field[Any]"], bool | None]) -> Callable[[Any], Any]:
    """What objects are told apart by: a tuple of the chosen fields."""
    match [field.name for field in dataclasses.fields(cls) if chosen(field)]:
        case []:
            return lambda _: ()
        case [name]:
            get = attrgetter(name)
            return lambda value: (get(value),)
        case names:
            return attrgetter(*names)


def _eq_of(cls: type) -> Callable[[Any, Any], bool]:
    values = _compared(cls, lambda field: field.compare)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807  see above
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    return __eq__


def _hash_of(cls: type) -> Callable[[Any], int]:
    values = _compared(cls, lambda field: field.compare if field.hash is None else field.hash)

    def __hash__(self: Any) -> int:  # noqa: N807  see above
        return hash(values(self))

    return __hash__


def _frozen(cls: type) -> dict[str, Any]:
    names = frozenset(field.name for field in dataclasses.fields(cls))
    inherited: Any = super

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807  see above
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        inherited(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807  see above
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        inherited(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        # Others than this cannot be set.
        object.__setattr__(self, field.name, value)
