"""Implementations of CEL's own operators and functions (cel-go's ``common/types`` and ``common/stdlib``)."""
