"""Warnings about pod specs that are accepted (``pkg/api/pod/warnings.go``)."""
