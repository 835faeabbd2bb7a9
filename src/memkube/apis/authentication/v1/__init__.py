"""Import path of the Go package with the authentication/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/authentication/v1"
