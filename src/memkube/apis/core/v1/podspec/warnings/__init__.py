"""Warnings about valid pod specs (``pkg/api/pod/warnings.go``)."""
