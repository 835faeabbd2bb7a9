"""Validation of pod specs (``pkg/apis/core/validation``), one module for each subject."""
