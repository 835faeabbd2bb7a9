"""Functions of the Go library Sprig, which KWOK offers to templates, by subject.

Functions for passwords, keys and certificates, for environment variables and for DNS are left out.
"""
