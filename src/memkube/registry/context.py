"""What a request brings along besides the object."""

from dataclasses import dataclass, field

from memkube.registry.user import LOOPBACK, User


@dataclass(slots=True)
class WriteContext:
    """The circumstances of one write."""

    namespace: str = ""
    manager: str = "unknown"
    """Who the changed fields belong to (managedFields)."""
    dry_run: bool = False
    user: User = LOOPBACK
    """Who asks; the server itself where no request does."""
    warnings: list[str] = field(default_factory=list)
    """Texts for Warning headers, gathered on the way."""

    def warn(self, text: str) -> None:
        """Adds a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)
