"""A Kubernetes API server in one Python process, in memory."""

__version__ = "0.1.0"
__all__ = ["__version__"]
