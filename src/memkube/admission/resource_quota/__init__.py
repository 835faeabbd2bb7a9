"""ResourceQuota: counts the resources that objects of a namespace use, and refuses writes that exceed a quota.

Sources: apiserver ``admission/plugin/resourcequota`` and ``quota/v1``; ``pkg/quota/v1/evaluator/core``.
"""
