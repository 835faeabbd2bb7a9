"""Evaluation of CEL expressions of webhooks and admission policies: variables, cost budgets and outcomes.

This package stores, changes and refuses nothing. ``apis/admissionregistration/v1/rules`` declares what the expressions
may use.
"""
