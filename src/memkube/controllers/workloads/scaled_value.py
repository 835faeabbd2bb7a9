"""Values that are a number or a percentage (``k8s.io/apimachinery/pkg/util/intstr``)."""


def scaled_value(value: int | str | None, total: int, *, round_up: bool) -> int:
    """Return an absolute number: `value` itself, a percentage of `total` (rounded up or down), or 0 for None."""
    if isinstance(value, str):
        percent = int(value.removesuffix("%")) * total
        return -(-percent // 100) if round_up else percent // 100
    return value or 0
