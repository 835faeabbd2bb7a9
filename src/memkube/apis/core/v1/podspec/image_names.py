"""Names of container images, as far as defaulting reads them (github.com/distribution/reference)."""

import re
from functools import lru_cache
from typing import Final

_COMPONENT: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN: Final = rf"(?:{_COMPONENT}(?:\.{_COMPONENT})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG: Final = r"[0-9A-Za-z_][0-9A-Za-z_.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE: Final = re.compile(rf"(?:{_DOMAIN}/)?({_PATH}(?:/{_PATH})*)(?::({_TAG}))?(?:@({_DIGEST}))?")
_IDENTIFIER: Final = re.compile("[a-f0-9]{64}")
_DIGEST_LENGTHS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_LONGEST_PATH: Final = 255
_HUB: Final = "docker.io"


@lru_cache(maxsize=1024)
def pulls_latest(image: str) -> bool:
    """Whether the image is the newest of its repository: tagged `latest`, or without tag and digest."""
    if _IDENTIFIER.fullmatch(image):
        return False
    domain, remainder = _split(image)
    match = _REFERENCE.fullmatch(f"{domain}/{remainder}")
    if match is None or remainder.partition(":")[0] != remainder.partition(":")[0].lower():
        return False
    path, tag, digest = match.groups()
    if len(path) > _LONGEST_PATH or (digest and not _is_digest(digest)):
        return False
    return tag == "latest" or not (tag or digest)


def _split(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    is_domain = first == "localhost" or "." in first or ":" in first or first != first.lower()
    if not slash or not is_domain:
        domain, rest = _HUB, image
    else:
        domain = _HUB if first == "index.docker.io" else first
    if domain == _HUB and "/" not in rest:
        rest = f"library/{rest}"
    return domain, rest


def _is_digest(digest: str) -> bool:
    algorithm, _, encoded = digest.partition(":")
    return len(encoded) == _DIGEST_LENGTHS.get(algorithm, 0) and encoded == encoded.lower()
