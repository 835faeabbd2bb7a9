"""References to images, such as ``registry.example.com/shop/web:1`` (``github.com/distribution/reference``)."""

import posixpath
import re
from typing import Final

_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH: Final = rf"{_COMPONENT}(?:/{_COMPONENT})*"
_TAG: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE: Final = re.compile(rf"(?:{_DOMAIN}/)?(?P<path>{_PATH})(?::{_TAG})?(?:@(?P<digest>{_DIGEST}))?")
_DIGEST_LENGTHS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_LONGEST_PATH: Final = 255
_HUB: Final = "docker.io"
"""Registry of images whose reference names none."""


def split_domain(image: str) -> tuple[str, str]:
    """Return the registry that an image reference names, by default that of Docker Hub, and the rest of the reference.

    The first part of the reference is a registry if it contains a dot, a colon or a capital letter, or is localhost.
    """
    first, slash, rest = image.partition("/")
    if not slash or not ({".", ":"} & set(first) or first == "localhost" or first != first.lower()):
        first, rest = _HUB, image
    if first == "index.docker.io":
        first = _HUB
    return first, f"library/{rest}" if first == _HUB and "/" not in rest else rest


def base_name(image: str) -> str:
    """Return the last part of an image's repository, such as ``web`` for ``registry.example.com/shop/web:1``."""
    return posixpath.basename(image.partition("@")[0]).partition(":")[0]


def with_tag(image: str) -> str:
    """Return an image reference with the tag ``latest`` if it has neither a tag nor a digest."""
    return image if "@" in image or ":" in posixpath.basename(image) else f"{image}:latest"


def why_invalid(image: str) -> str:
    """Return why an image reference is invalid, in the words of the container runtime; empty if it is valid."""
    if re.fullmatch("[a-f0-9]{64}", image):
        return f"invalid repository name ({image}), cannot specify 64-byte hexadecimal strings"
    domain, rest = split_domain(image)
    repository = rest.partition(":")[0]
    if repository != repository.lower():
        return f"invalid reference format: repository name ({repository}) must be lowercase"
    found = _REFERENCE.fullmatch(f"{domain}/{rest}")
    if found is None:
        return "invalid reference format"
    if len(found["path"]) > _LONGEST_PATH:
        return f"repository name must not be more than {_LONGEST_PATH} characters"
    return _why_digest_is_invalid(found["digest"]) if found["digest"] else ""


def _why_digest_is_invalid(digest: str) -> str:
    algorithm, _, encoded = digest.partition(":")
    length = _DIGEST_LENGTHS.get(algorithm)
    if length is None:
        return "unsupported digest algorithm" if algorithm == algorithm.lower() else "invalid checksum digest format"
    if len(encoded) != length:
        return "invalid checksum digest length"
    return "" if encoded == encoded.lower() else "invalid checksum digest format"
