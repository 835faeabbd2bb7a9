"""Evaluation of CEL expressions in webhooks and admission policies: variables, cost budgets and results.

This package only evaluates; its callers refuse requests. ``apis/admissionregistration/v1/rules`` declares the variables
and functions that expressions may use.
"""
