"""Imports that are delayed until a kind is first written: its model, its strategy, its columns and its connectors.

Only declarations of kinds use them. They keep the start of a server free of the kinds' code, of which most is never
needed; docs/performance.md has the figures.
"""

from importlib import import_module
from typing import Any, Final, Generic, TypeVar, overload

T = TypeVar("T")
_REQUIRED: Final[Any] = object()


class Lazy(Generic[T]):
    """A name in a module that is imported when the name is first needed: ``Lazy("package.module:name")``.

    If the name ends with ``()``, its value is called without arguments.
    """

    def __init__(self, path: str) -> None:
        self._module, _, self._name = path.partition(":")

    def load(self) -> T:
        """Import the module and return the value. Raises ImportError or AttributeError if the path is wrong."""
        found = getattr(import_module(self._module), self._name.removesuffix("()"))
        loaded: T = found() if self._name.endswith("()") else found
        return loaded

    def __repr__(self) -> str:
        return f"Lazy({self._module}:{self._name})"


class LazyPackage:
    """Makes lazy imports of the names in one package: ``LazyPackage(__package__)("module:name")``."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __call__(self, path: str) -> Lazy[Any]:
        """Return the lazy import of a path below the package, such as ``types:Pod`` or ``strategy:PodStrategy()``."""
        return Lazy(f"{self._package}.{path}")


class Deferred(Generic[T]):
    """A field of a declaration that is given as a value or as a :class:`Lazy`, and is read as the value."""

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
            # The dataclass decorator reads the default of a field in this way.
            if self._default is _REQUIRED:
                raise AttributeError(self._name)
            return self._default
        value = instance.__dict__[self._name]
        if isinstance(value, Lazy):
            value = instance.__dict__[self._name] = value.load()
        return value

    def __set__(self, instance: object, value: T | Lazy[T]) -> None:
        instance.__dict__[self._name] = value
