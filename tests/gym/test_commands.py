import pytest

from memkube.gym.commands import RefusedCommand, parse


@pytest.mark.parametrize(
    "line",
    [
        "kubectl get pods -A",
        "kubectl -n shop get pods",
        "kubectl --namespace=shop logs -f deploy/web",
        "kubectl exec web -- sh -c 'ls | wc'",
        "sleep 30",
    ],
)
def test_commands_are_split_into_words(line: str) -> None:
    words, given = parse(line)
    assert words[0] in ("kubectl", "sleep")
    assert given == ""


def test_a_here_document_is_the_standard_input() -> None:
    assert parse("kubectl apply -f - <<'EOF'\nkind: Pod\nEOF") == (["kubectl", "apply", "-f", "-"], "kind: Pod\n")


def test_quotes_may_go_over_lines() -> None:
    words, _ = parse("kubectl patch pod web -p '{\n}'")
    assert words[-1] == "{\n}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ls /", "only kubectl and sleep"),
        ("kubectl get pods | grep web", "no shell"),
        ("kubectl config view", "kubectl config is not available"),
        ("kubectl -n shop proxy", "kubectl proxy is not available"),
        ("kubectl get pods --kubeconfig=/tmp/other", "option --kubeconfig is not available"),
        ("kubectl get pods -s http://127.0.0.1", "option -s is not available"),
        ("kubectl get pods --as system:admin", "option --as is not available"),
        ("kubectl apply -f /etc/passwd", "files are not available"),
        ("kubectl apply -f/etc/passwd", "files are not available"),
        ("kubectl apply --filename=/etc/passwd", "files are not available"),
        ("kubectl create configmap web --from-file=/etc/passwd", "option --from-file is not available"),
        ("kubectl get pods -o jsonpath-file=/etc/passwd", "files are not available"),
        ("kubectl apply -f - <<EOF\nkind: Pod", "must end with a line EOF"),
        ("kubectl get 'pods", "cannot read the command line"),
        ("sleep", "sleep needs a number"),
        ("sleep 9999", "at most 600"),
        ("", "only kubectl and sleep"),
    ],
)
def test_other_commands_are_refused(line: str, reason: str) -> None:
    with pytest.raises(RefusedCommand, match=reason):
        parse(line)
