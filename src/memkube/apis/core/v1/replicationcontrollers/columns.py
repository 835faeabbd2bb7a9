from typing import Final

from memkube.apis.core.v1.podspec.container_columns import replicas_printer


def _selector_text(selector: dict[str, str] | None) -> str:
    return ",".join(f"{name}={value}" for name, value in sorted((selector or {}).items())) or "<none>"


PRINTER: Final = replicas_printer(_selector_text)
