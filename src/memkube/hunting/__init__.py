"""Searches for bugs in operators by injecting faults while an operator works.

A run with faults must end with the same objects as a run without faults. Sources: Sieve (OSDI 2022) for the patterns of
bugs, and client-go's guarantees for what an operator may rely on.
"""
