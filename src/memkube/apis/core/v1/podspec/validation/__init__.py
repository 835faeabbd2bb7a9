"""Rules for pod specs (``pkg/apis/core/validation``), one module a subject."""
