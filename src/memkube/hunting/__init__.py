"""Hunting for bugs in operators: the work of an operator is disturbed on purpose, and must still end right.

Sources: Sieve (OSDI 2022) for the patterns, and client-go's guarantees for what an operator may rely on.
"""
