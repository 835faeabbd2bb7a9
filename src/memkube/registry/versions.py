"""resourceVersions as clients write them."""

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.shown_values import quoted

_UINT64 = 2**64


def requested_revision(text: str) -> int:
    """The revision that the resourceVersion of a query stands for; 0 for none. Raises ApiError 500."""
    try:
        return revision_of(text)
    except ApiError as error:
        raise unclassified(f"resourceVersion: Invalid value: {quoted(text)}: {error.message}") from None


def revision_of(text: str) -> int:
    """The revision that an object's resourceVersion stands for; 0 for none. Raises ApiError 500."""
    if text in ("", "0"):
        return 0
    if text.isascii() and text.isdigit():
        revision = int(text)
        if revision < _UINT64:
            return revision
        raise unclassified(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    raise unclassified(f"strconv.ParseUint: parsing {quoted(text)}: invalid syntax")


def is_revision(text: str) -> bool:
    """Whether a resourceVersion stands for a revision, as far as its form goes; 0 stands for none."""
    return text.isascii() and text.isdigit() and 0 < int(text) < _UINT64
