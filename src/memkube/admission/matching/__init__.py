"""Which requests webhooks and policies are about, and the objects in the version that they ask for.

Source: apiserver ``pkg/admission/plugin/webhook/predicates`` and ``generic``, shared there with policies.
"""

from memkube.admission.configurations import Configurations
from memkube.admission.matching.rules import Match, equivalents, is_exempt, matched
from memkube.admission.matching.selectors import Selectors
from memkube.admission.matching.versions import unversioned, versioned

__all__ = ["Configurations", "Match", "Selectors", "equivalents", "is_exempt", "matched", "unversioned", "versioned"]
