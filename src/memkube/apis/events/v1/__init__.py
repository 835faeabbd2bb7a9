"""The kinds of the API group and version events/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/events/v1"
