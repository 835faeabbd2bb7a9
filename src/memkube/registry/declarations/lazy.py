"""What a kind's rules need is imported when the kind is first written, not when the server starts."""

from importlib import import_module
from typing import Any, Final, Generic, TypeVar, overload

T = TypeVar("T")
_REQUIRED: Final[Any] = object()


class Lazy(Generic[T]):
    """Something in a module that may not be imported yet: ``Lazy("package.module:name")``.

    A name that ends with ``()`` is called, without arguments. What is wrong with the path shows at the first use.
    """

    def __init__(self, path: str) -> None:
        self._module, _, self._name = path.partition(":")

    def load(self) -> T:
        """Imports the module, if nobody has yet. Raises ImportError and AttributeError."""
        found = getattr(import_module(self._module), self._name.removesuffix("()"))
        loaded: T = found() if self._name.endswith("()") else found
        return loaded

    def __repr__(self) -> str:
        return f"Lazy({self._module}:{self._name})"


class Deferred(Generic[T]):
    """A field of a declaration that takes a value or a :class:`Lazy` one, and is read as the value."""

    def __init__(self, default: T | Lazy[T] = _REQUIRED) -> None:
        self._default = default
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Any: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            # This is how a dataclass asks for the default of a field.
            if self._default is _REQUIRED:
                raise AttributeError(self._name)
            return self._default
        value = instance.__dict__[self._name]
        if isinstance(value, Lazy):
            value = instance.__dict__[self._name] = value.load()
        return value

    def __set__(self, instance: object, value: T | Lazy[T]) -> None:
        instance.__dict__[self._name] = value
