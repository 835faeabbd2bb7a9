"""Delayed imports: the modules with the models, rules and table columns of a kind are imported on first use.

Only declarations of kinds use delayed imports. They shorten the start of the server: see docs/performance.md.
"""

from importlib import import_module
from typing import Any, Final, Generic, TypeVar, overload

T = TypeVar("T")
_REQUIRED: Final[Any] = object()


class Lazy(Generic[T]):
    """A delayed import of an object from a module: ``Lazy("package.module:name")``.

    The module is imported when the object is first used. If the path ends with ``()``, the object is called without
    arguments, and the result is used.
    """

    def __init__(self, path: str) -> None:
        self._module, _, self._name = path.partition(":")

    def load(self) -> T:
        """Import the module and return the object. Raises ImportError or AttributeError if it does not exist."""
        found = getattr(import_module(self._module), self._name.removesuffix("()"))
        loaded: T = found() if self._name.endswith("()") else found
        return loaded

    def __repr__(self) -> str:
        return f"Lazy({self._module}:{self._name})"


class LazyPackage:
    """Function that creates :class:`Lazy` imports of one package: ``LazyPackage(__package__)("module:name")``."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __call__(self, path: str) -> Lazy[Any]:
        """Return the delayed import of a path in the package, such as ``types:Pod`` or ``strategy:PodStrategy()``."""
        return Lazy(f"{self._package}.{path}")


class Deferred(Generic[T]):
    """Descriptor of a dataclass field that can be set to a value or to a :class:`Lazy`.

    Reading the field imports the Lazy and returns the imported value.
    """

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
            # The dataclass decorator looks up each field in the class to find its default, and expects an
            # AttributeError if the field has none.
            if self._default is _REQUIRED:
                raise AttributeError(self._name)
            return self._default
        value = instance.__dict__[self._name]
        if isinstance(value, Lazy):
            value = instance.__dict__[self._name] = value.load()
        return value

    def __set__(self, instance: object, value: T | Lazy[T]) -> None:
        instance.__dict__[self._name] = value
