"""ResourceQuota: what the objects of a namespace use is counted, and stays within what quotas allow.

Sources: apiserver ``admission/plugin/resourcequota`` and ``quota/v1``, ``pkg/quota/v1/evaluator/core``.
"""
