from typing import Final

PREFIX: Final = "/memkube/v1"
"""Path prefix of the control API."""
