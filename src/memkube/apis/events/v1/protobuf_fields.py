"""Field numbers of the events.k8s.io/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "Event": (
        "metadata=1 eventTime=2 series=3 reportingController=4 reportingInstance=5 action=6 reason=7 regarding=8 "
        "related=9 note=10 type=11 deprecatedSource=12 deprecatedFirstTimestamp=13 deprecatedLastTimestamp=14 "
        "deprecatedCount=15"
    ),
    "EventSeries": "count=1 lastObservedTime=2",
}
