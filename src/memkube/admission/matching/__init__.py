"""Matching of requests with the rules of webhooks and policies, and conversion of objects to the matched version.

Source: apiserver ``pkg/admission/plugin/webhook/predicates`` and ``generic``, which policies use as well.
"""

from memkube.admission.configurations import Configurations
from memkube.admission.matching.rules import Match, equivalent_resources, is_exempt, match_rules
from memkube.admission.matching.selectors import Selectors
from memkube.admission.matching.versions import to_matched_version, to_request_version

__all__ = [
    "Configurations",
    "Match",
    "Selectors",
    "equivalent_resources",
    "is_exempt",
    "match_rules",
    "to_matched_version",
    "to_request_version",
]
