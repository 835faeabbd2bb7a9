"""Plugins one after another."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from memkube.registry.admission import Attributes


class Plugin(Protocol):
    """One rule. Both steps refuse by raising ApiError."""

    name: ClassVar[str]

    async def mutate(self, attributes: Attributes) -> None:
        """May change the object to be written."""

    async def validate(self, attributes: Attributes) -> None:
        """May refuse the object as it will be stored."""


class Chain:
    """Every plugin's first step, then every plugin's second: see :class:`memkube.registry.admission.Admission`."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self._plugins = plugins

    async def mutate(self, attributes: Attributes) -> None:
        """See Admission."""
        for plugin in self._plugins:
            await plugin.mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """See Admission."""
        for plugin in self._plugins:
            await plugin.validate(attributes)
