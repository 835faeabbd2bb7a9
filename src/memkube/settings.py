"""What a server is started with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of whoever starts a server."""

    controllers: tuple[str, ...] = ()
    """Names of the controllers that run."""
    admission_plugins: tuple[str, ...] = ("NamespaceLifecycle", "RuntimeClass", "Priority", "DefaultTolerationSeconds")
    """Names of the admission plugins that decide over writes, in the order in which they run."""
    history: int = 20_000
    """How many changes are kept for watches to resume from and lists to go back to."""
