"""Functions of the Go library Sprig, which templates of Stages may call, by subject.

No function reads the environment, DNS, or files other than time zones. Times and random numbers come from the server.
"""
