"""The states of a container, as its status tells of them."""

from datetime import datetime
from typing import NamedTuple, TypeAlias


class Waiting(NamedTuple):
    """A container that does not run."""

    reason: str = ""
    message: str = ""


class Running(NamedTuple):
    """A container that runs."""

    started: datetime


class Ended(NamedTuple):
    """A run that is over."""

    code: int
    reason: str
    started: datetime
    finished: datetime
    container_id: str
    message: str = ""


State: TypeAlias = Waiting | Running | Ended
