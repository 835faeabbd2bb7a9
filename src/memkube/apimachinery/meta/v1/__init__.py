"""The types that all kinds share."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
