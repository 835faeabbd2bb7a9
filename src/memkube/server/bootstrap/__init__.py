"""The initial objects of a server, which kube-apiserver creates itself (``pkg/controlplane``).

They do not depend on the chosen controllers. Nothing here may serve requests.
"""
