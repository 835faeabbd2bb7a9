"""The programs kube-apiserver, etcd and kubectl for test suites that use envtest.

They accept the flags of the programs of Kubernetes. The module `launchers` writes a script for each program, which
starts the module `__main__`. Suites run each program with ``--help`` before each start. To make this fast, the tables
of flags and the module `etcd` do not import the server.
"""
