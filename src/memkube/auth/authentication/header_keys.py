"""Keys of extra values in the names of headers, for impersonation and authenticating proxies."""

from urllib.parse import unquote_to_bytes

from memkube.apimachinery.go_strings import go_string


def unescaped_key(key: bytes) -> str:
    """Decode the percent-encoded key of an extra value, in lower case; a malformed key is used as it is."""
    escapes = key.split(b"%")[1:]
    well_formed = all(len(escape) > 1 and _is_hex(escape[:2]) for escape in escapes)
    return go_string(unquote_to_bytes(key) if well_formed else key)


def _is_hex(digits: bytes) -> bool:
    return all(digit in b"0123456789abcdef" for digit in digits)
