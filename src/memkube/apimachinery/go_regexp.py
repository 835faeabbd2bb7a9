"""Go regular expressions (``regexp``), implemented by RE2 in linear time."""

import re
from functools import lru_cache
from typing import Any, Final

import re2

_GO_MESSAGES: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}
"""Go's error message for each error message of the RE2 library."""


_escapes = re.compile(r"\\Q.*?(?:\\E|$)|\\.", re.DOTALL).findall
r"""Function that lists the escapes in a pattern. It finds ``\C``, which the RE2 library accepts but Go rejects."""


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:
    """Compile a regular expression. Raises ValueError with Go's message if it is invalid."""
    if "\\C" in _escapes(pattern):
        raise ValueError("error parsing regexp: invalid escape sequence: `\\C`")

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        code, _, where = text.partition(": ")
        raise ValueError(f"error parsing regexp: {_GO_MESSAGES.get(code, code)}: `{where}`") from error
