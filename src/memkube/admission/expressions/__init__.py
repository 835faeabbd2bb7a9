"""Evaluation of CEL expressions in webhooks and admission policies: variables, cost budgets and results.

This package only evaluates expressions; its callers refuse requests. The variables and functions that expressions may
use are declared in ``apis/admissionregistration/v1/rules``.
"""
