"""Tables of ReplicaSets."""

from typing import Final

from memkube.apis.core.v1.podspec.container_columns import replicas_printer, selector_cell

PRINTER: Final = replicas_printer(selector_cell)
