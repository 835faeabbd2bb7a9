"""CustomResourceDefinitions. This code runs inside the API server, even if the user selects no controllers.

Source: apiextensions ``pkg/controller`` and ``pkg/apiserver``.
"""
