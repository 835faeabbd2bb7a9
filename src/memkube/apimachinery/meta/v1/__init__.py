"""The meta/v1 types shared by all kinds."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
