"""What a server is started with."""

from dataclasses import dataclass

from memkube.controllers.available import CONTROLLERS


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of whoever starts a server."""

    controllers: tuple[str, ...] = tuple(CONTROLLERS)
    """Names of the controllers that run."""
    clock: str = "real"
    """What time objects and controllers live by: ``real``, ``stepped``, or ``x60`` for sixty times as fast."""
    admission_plugins: tuple[str, ...] = (
        "NamespaceLifecycle",
        "TaintNodesByCondition",
        "RuntimeClass",
        "Priority",
        "DefaultTolerationSeconds",
    )
    """Names of the admission plugins that decide over writes, in the order in which they run."""
    history: int = 20_000
    """How many changes are kept for watches to resume from and lists to go back to."""
