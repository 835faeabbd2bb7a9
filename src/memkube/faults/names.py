"""Pattern for the names that clients of memkube's control API choose for faults, behaviors and snapshots."""

from typing import Final

NAME_PATTERN: Final = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
"""Regular expression of a name: lower-case letters, digits, ``-`` and ``.``, with a letter or digit at both ends."""
