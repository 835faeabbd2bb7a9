"""The environment variables of simulated programs."""

from collections.abc import Collection, ItemsView, Iterator, Mapping, MutableMapping
from typing import Final

_NONE: Final[Mapping[str, str]] = {}


class Environment(MutableMapping[str, str]):
    """The environment variables of a program: its own variables, and after them those that it shares with others.

    Many containers share the variables of the Services in their namespace, so a copy costs little, however many
    Services there are. The shared variables never change. A variable that the program sets or unsets hides the shared
    one.
    """

    __slots__ = ("of_runtime", "own", "shared")

    def __init__(
        self, own: dict[str, str | None], shared: Mapping[str, str] = _NONE, of_runtime: Collection[str] = ()
    ) -> None:
        self.own = own
        """The program's own variables; None for each shared variable that the program has unset."""
        self.shared = shared
        self.of_runtime = of_runtime
        """Names of the variables, such as PATH, that the container runtime sets because the pod's spec does not."""

    def declared(self) -> "Environment":
        """Return the variables that references in a container's spec, such as ``$(NAME)``, can name.

        They are all variables except those of the container runtime.
        """
        if not self.of_runtime:
            return self
        return Environment(
            {name: value for name, value in self.own.items() if name not in self.of_runtime}, self.shared
        )

    def copy(self) -> "Environment":
        """Return a copy for another program. Changes of the copy do not affect this environment."""
        return Environment(dict(self.own), self.shared)

    def __getitem__(self, name: str) -> str:
        value = self.own[name] if name in self.own else self.shared[name]
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: str) -> None:
        self.own[name] = value

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        if name in self.shared:
            self.own[name] = None
        else:
            del self.own[name]

    def __iter__(self) -> Iterator[str]:
        yield from (name for name, value in self.own.items() if value is not None)
        yield from (name for name in self.shared if name not in self.own)

    def items(self) -> ItemsView[str, str]:
        # Faster than a lookup of each name.
        merged = {name: value for name, value in self.own.items() if value is not None}
        merged.update((name, value) for name, value in self.shared.items() if name not in self.own)
        return merged.items()

    def __len__(self) -> int:
        return sum(1 for _ in self)
