from memkube.ui.fields import owned_fields
from memkube.ui.tables import tone_of


def test_writers_are_named_for_each_field_and_list_item() -> None:
    document = {
        "metadata": {
            "labels": {"app.kubernetes.io/name": "web"},
            "managedFields": [
                {
                    "manager": "kubectl",
                    "operation": "Apply",
                    "fieldsV1": {
                        "f:metadata": {"f:labels": {"f:app.kubernetes.io/name": {}}},
                        "f:spec": {
                            "f:replicas": {},
                            "f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}}},
                        },
                    },
                },
                {
                    "manager": "scaler",
                    "operation": "Update",
                    "subresource": "scale",
                    "fieldsV1": {"f:spec": {"f:replicas": {}}},
                },
            ],
        },
        "spec": {"replicas": 3, "containers": [{"name": "main", "image": "nginx"}]},
    }
    told = {one.path: (one.value, [str(manager) for manager in one.managers]) for one in owned_fields(document)}
    assert told == {
        'metadata.labels["app.kubernetes.io/name"]': ('"web"', ["kubectl (Apply)"]),
        'spec.containers[name="main"].image': ('"nginx"', ["kubectl (Apply)"]),
        "spec.replicas": ("3", ["kubectl (Apply)", "scaler (Update, scale)"]),
    }


def test_the_words_of_a_state_have_a_tone() -> None:
    words = {
        "good": ("Running", "1/1", "True", "Bound", "Ready"),
        "waiting": ("Pending", "0/1", "Init:0/2", "Terminating", "Ready,SchedulingDisabled"),
        "bad": ("CrashLoopBackOff", "ErrImagePull", "NotReady", "Evicted", "False"),
        "": ("nginx", "12", ""),
    }
    assert {word: tone_of(word) for tone in words for word in words[tone]} == {
        word: tone for tone in words for word in words[tone]
    }
