"""Signatures of library functions; their implementations are in `memkube.cel.functions` and `memkube.cel.standard`."""
