"""Why a patch cannot be applied."""

from dataclasses import dataclass


@dataclass
class PatchError(Exception):
    """A patch is refused with this status; ``reason`` is empty where the reference's Status has none."""

    code: int
    reason: str
    message: str

    def __str__(self) -> str:
        return self.message


def bad_request(message: str) -> PatchError:
    """400: the patch is malformed."""
    return PatchError(400, "BadRequest", message)


def not_applicable() -> PatchError:
    """422: the patch is well formed, but doesn't fit the object."""
    return PatchError(422, "Invalid", "the server rejected our request due to an error in our request")


def internal(message: str) -> PatchError:
    """500 without a reason, the reference's answer to errors that it does not classify."""
    return PatchError(500, "", message)
