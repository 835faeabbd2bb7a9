"""A server as an object of Python: started for a block, filled with manifests, waited for.

Its thread is its own. What a program gives it and gets from it are copies, so neither changes the other's.
"""
