"""Numbers in annotations that stand for fields of kube-apiserver's internal version (``pkg/apis/apps/v1``)."""

from memkube.apimachinery.go_integers import parse_int64
from memkube.registry.declarations.strategy import ConversionError


def annotated_number(written: str, prefix: str = "") -> int:
    """Parse a 64-bit integer in an annotation. Raises ConversionError with `prefix` and Go's message if it is none."""
    try:
        return parse_int64(written)
    except ValueError as error:
        raise ConversionError(f"{prefix}{error}") from None
