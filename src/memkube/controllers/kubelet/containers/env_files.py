"""Environment files: files in a volume that set environment variables of containers (``pkg/kubelet/util/env``)."""

import re
from typing import Final

from memkube.controllers.kubelet.programs.inodes import Inode

_LINE_END: Final = r"(?:\n|\Z)"
_BLANK: Final = re.compile(rf"[ \t]*(?:#[^\n]*)?{_LINE_END}")
_VARIABLE: Final = re.compile(
    rf"[ \t]*(?P<name>[^=\n]*[^=\n \t])=(?:[ \t][^\n]*|'(?P<value>[^']*)'[ \t]*(?:#[^\n]*)?){_LINE_END}"
)
_CARRIAGE_RETURN: Final = re.compile(r"\r(?=\n|\Z)")


def variable_in(file: Inode | None, key: str) -> str:
    """Return the value of the variable `key` in an environment file; empty if the file does not set it.

    A value is in single quotes, and may have several lines. If a space follows ``=``, the value is empty. Raises
    ValueError if the file does not exist, or if the variable or a line before it has another syntax.
    """
    if file is None or file.is_directory or file.is_link:
        raise ValueError("not a file")
    text = _CARRIAGE_RETURN.sub("", file.data.decode(errors="replace"))
    position = 0
    while position < len(text):
        found = _BLANK.match(text, position) or _VARIABLE.match(text, position)
        if found is None:
            raise ValueError("not a variable")
        if found.re is _VARIABLE and found["name"] == key:
            return found["value"] or ""
        position = found.end()
    return ""
