"""Reads a file of static tokens (apiserver ``authentication/token/tokenfile``)."""

import logging
from pathlib import Path
from typing import Final

from memkube.auth.authentication.go_csv import ParseError, read_records
from memkube.errors import reason_of
from memkube.registry.declarations.request_options import User

_LOGGER: Final = logging.getLogger("memkube")
_FEWEST: Final = 3
_GROUPS: Final = 3
"""Index of the file's column with the groups."""


def read_token_file(path: Path) -> dict[str, User]:
    """Return the user of each token in a CSV file of static tokens.

    Each line has a token, the name and the uid of a user, and optionally groups: ``token,user,uid,"group1,group2"``. If
    several lines have the same token, the last of them determines the user; lines without a token are skipped. Both
    cases are logged.

    Raises ValueError with a one-line message if the file cannot be read or a line has fewer than three columns.
    """
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the token file {path}: {reason_of(error)}") from None
    try:
        return _users(text, path)
    except ParseError as error:
        raise ValueError(f"cannot read the token file {path}: {error}") from None


def _users(text: str, path: Path) -> dict[str, User]:
    users: dict[str, User] = {}
    for number, record in enumerate(read_records(text), 1):
        if len(record) < _FEWEST:
            columns = f"must have at least 3 columns (token, user name, user uid), found {len(record)}"
            raise ValueError(f"token file '{path}' {columns}")
        token, name, uid = record[:_FEWEST]
        if not token:
            _LOGGER.warning("empty token has been found in token file '%s', record number '%d'", path, number)
            continue
        if token in users:
            _LOGGER.warning("duplicate token has been found in token file '%s', record number '%d'", path, number)
        groups = tuple(record[_GROUPS].split(",")) if len(record) > _GROUPS else ()
        users[token] = User(name, uid, groups)
    return users
