"""Values that are a number or a percentage (``k8s.io/apimachinery/pkg/util/intstr``)."""


def scaled_value(value: int | str | None, total: int, *, round_up: bool) -> int:
    """Return `value`, a number or a percentage of `total`, as a number; 0 for None.

    Percentages are rounded up if `round_up` is True, otherwise down. Raises ValueError for an invalid percentage.
    """
    if isinstance(value, str):
        percent = int(value.removesuffix("%")) * total
        return -(-percent // 100) if round_up else percent // 100
    return value or 0
