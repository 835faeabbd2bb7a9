"""Kinds of the API version v1, which has no group name. Each subpackage has one kind."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/core/v1"
