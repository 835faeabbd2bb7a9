"""resourceVersions as clients write them."""

from memkube.apimachinery.errors import ApiError, unclassified

_UINT64 = 2**64


def parse_resource_version(text: str) -> int:
    """The revision that a resourceVersion stands for; 0 for none. Raises ApiError 500, as the reference does."""
    if text in ("", "0"):
        return 0
    if text.isascii() and text.isdigit():
        revision = int(text)
        if revision < _UINT64:
            return revision
        raise _unparsable(text, "value out of range")
    raise _unparsable(text, "invalid syntax")


def _unparsable(text: str, why: str) -> ApiError:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return unclassified(f"resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: {why}")
