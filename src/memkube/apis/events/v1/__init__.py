"""The kinds of events/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/events/v1"
