"""Whom the parts of a node tell what happens."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.controllers.event_recorder import Report

Reporter: TypeAlias = Callable[[Report], None]
