"""Go package of the batch/v1 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/batch/v1"
