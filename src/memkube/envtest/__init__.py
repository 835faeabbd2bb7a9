"""The programs kube-apiserver, etcd and kubectl for test suites that use envtest.

They accept the flags of the programs of Kubernetes. The module `launchers` writes a script for each program, which
starts the module `__main__`. The tables of flags, and `etcd`, do not import the server, because suites run each program
with ``--help`` before each start.
"""
