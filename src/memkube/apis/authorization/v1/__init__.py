"""Import path of the Go package with the authorization/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/authorization/v1"
