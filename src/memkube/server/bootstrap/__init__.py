"""The initial objects of a server, which kube-apiserver creates itself (``pkg/controlplane``).

They do not depend on the enabled controllers. Modules of this package do not handle requests.
"""
