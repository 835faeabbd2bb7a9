"""CustomResourceDefinitions, as the API server itself handles them, whichever controllers run.

Source: apiextensions ``pkg/controller`` and ``pkg/apiserver``.
"""
