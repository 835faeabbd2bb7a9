"""Searches for bugs in an operator: injects faults while the operator works, and compares the results.

A run with faults must end with the same objects as a run without faults. The patterns of bugs come from Sieve (OSDI
2022). An operator may rely on the guarantees of client-go, and on no others.
"""
