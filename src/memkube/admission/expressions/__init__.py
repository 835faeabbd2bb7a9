"""What expressions of webhooks and policies come to for a request: their variables, their budgets, their outcomes.

Nothing is stored, changed or refused here. What expressions may say is declared with their kinds, in
``apis/admissionregistration/v1/rules``.
"""
