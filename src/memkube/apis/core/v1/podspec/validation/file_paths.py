"""Paths inside volumes and the modes of their files."""

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid


def validate_no_backsteps(target: str, path: FieldPath) -> list[FieldError]:
    """The path never leaves its directory with ``..``."""
    return [invalid(path, target, "must not contain '..'")] if ".." in target.split("/") else []


def validate_descending_path(target: str, path: FieldPath) -> list[FieldError]:
    """The path is relative and never leaves its directory."""
    errors = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return errors + validate_no_backsteps(target, path)


def validate_local_path(target: str, path: FieldPath) -> list[FieldError]:
    """The path stays inside, and no name that volumes reserve (``..data``) begins it."""
    errors = validate_descending_path(target, path)
    if target.startswith("..") and not target.startswith("../"):
        errors.append(invalid(path, target, "must not start with '..'"))
    return errors


def validate_file_mode(mode: int | None, path: FieldPath) -> list[FieldError]:
    """The mode, where there is one, has permission bits only."""
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
