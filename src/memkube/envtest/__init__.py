"""kube-apiserver, etcd and kubectl for test suites that use envtest: programs with the flags of Kubernetes' own.

`launchers` writes a folder with three scripts, which start `__main__`. The tables of flags, and `etcd`, import nothing
of the server, because suites run each program with ``--help`` before each start.
"""
