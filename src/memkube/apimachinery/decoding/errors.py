"""The one way in which decoding fails."""


class DecodeError(Exception):
    """A body that cannot be decoded; ``message`` is the reference's reason, to the letter."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
