"""What happens to every request around its handler: users, limits, deadlines, faults, logging and metrics.

Nothing here may depend on the verb's handler.
"""
