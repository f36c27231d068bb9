"""What cutline.yaml takes from outside and is a secret is shown as the file writes it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cutline.cli.output import Output
from cutline.errors import ConfigurationError
from cutline.project.interpolate import interpolated
from cutline.secrets import as_written, forget_secrets

SECRETS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=6, max_size=40).map(
    "x9{}".format
)


def shown(text: str) -> str:
    out = io.StringIO()
    Output(out).line(text)
    Output(out).document({"error": [text]})
    Output(out).table(["error"], [[text]])
    return out.getvalue()


@given(SECRETS)
@example("with/slash@and:colon")
@example('"quoted" \\ and % + spaces')
def test_no_secret_gets_out_however_it_is_spelt(secret: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.environ", {"PW": secret})
        document = {"lake": "s3a://AKIA:${PW}@bucket/lake"}
        resolved = interpolated(document, Path())["lake"]
    try:
        assert resolved == f"s3a://AKIA:{secret}@bucket/lake"
        for text in (
            resolved,
            f"No file {resolved}/x: {secret}",
            quote(resolved, safe=":/@"),
            quote(secret, safe=""),
            quote_plus(secret),
            quote(quote(secret, safe=""), safe=""),
            repr(resolved),
            json.dumps({"path": resolved}),
        ):
            assert "${PW}" in shown(text)
            assert secret not in shown(text)
        assert as_written(resolved) == "s3a://AKIA:${PW}@bucket/lake"
    finally:
        forget_secrets()


@pytest.mark.parametrize(
    ("document", "text", "written"),
    [
        pytest.param(
            {"lake": "s3a://k:${PW}@b"}, "s3a://k:hunter-22@b/x", "s3a://k:${PW}@b/x", id="url"
        ),
        pytest.param(
            {"sources": {"erp": {"path": "jdbc:x://h/d?user=u&Pass%77ord=${PW}"}}},
            "cannot connect to jdbc:x://h/d?user=u&Pass%77ord=hunter-22",
            "cannot connect to jdbc:x://h/d?user=u&Pass%77ord=${PW}",
            id="setting",
        ),
        pytest.param(
            {"spark": {"conf": {"spark.hadoop.fs.s3a.secret.key": "${PW}"}}},
            "secret.key=hunter-22",
            "secret.key=${PW}",
            id="spark",
        ),
        pytest.param({"lake": "in/${file:pw}"}, "in/from-file", "in/${file:pw}", id="file"),
        pytest.param({"lake": "in/${MY_TOKEN}"}, "in/t0ken-of-mine", "in/${MY_TOKEN}", id="name"),
        pytest.param({"control": "postgresql://u:${PW}@h/d"}, "hunter-22", "${PW}", id="control"),
        pytest.param(
            {"lake": "${LAKE}"}, "No s3a://KEY:wh0le-url@b/in/x", "No ${LAKE}/x", id="whole url"
        ),
        pytest.param({"control": "${LAKE}"}, "user: wh0le-url", "user: ${LAKE}", id="out of it"),
        pytest.param(
            {"lake": "abfss://c@a.net/x?sig=${PW}"},
            "abfss://c@a.net/x?sig=hunter-22",
            "abfss://c@a.net/x?sig=${PW}",
            id="signature",
        ),
        pytest.param({"lake": "in/${API_KEY}"}, "in/k3y-of-mine", "in/${API_KEY}", id="key"),
        pytest.param(
            {"spark": {"conf": {"spark.ssl.keyPassword": "${PW}"}}},
            "'hunter-22'",
            "'${PW}'",
            id="words of a setting",
        ),
        # What is no secret is shown as it was understood: it helps.
        pytest.param({"lake": "${HDFS}"}, "hdfs://n:9000/a@b", "hdfs://n:9000/a@b", id="port"),
        pytest.param({"lake": "in/${WHERE}"}, "partition_key", "partition_key", id="a key of rows"),
        pytest.param({"lake": "in/${WHERE}"}, "in/hunter-22", "in/hunter-22", id="no secret"),
        pytest.param({"name": "${file:pw}"}, "from-file", "from-file", id="name of a project"),
    ],
)
def test_where_a_reference_stands_for_a_secret(
    document: dict[str, object],
    text: str,
    written: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PW", "WHERE"):
        monkeypatch.setenv(name, "hunter-22")
    monkeypatch.setenv("MY_TOKEN", "t0ken-of-mine")
    monkeypatch.setenv("LAKE", "s3a://KEY:wh0le-url@b/in")
    monkeypatch.setenv("API_KEY", "k3y-of-mine")
    monkeypatch.setenv("HDFS", "hdfs://n:9000/a@b")
    (tmp_path / "pw").write_text("from-file\n")
    interpolated(document, tmp_path)
    assert as_written(text) == written


def test_a_short_secret_is_hidden_where_it_is_one_and_no_other_text_is_garbled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PW", "a")
    monkeypatch.setenv("MY_TOKEN", "rows")
    interpolated({"lake": "s3a://KEY:${PW}@bucket", "name": "${MY_TOKEN}"}, Path())
    assert as_written("s3a://KEY:a@bucket has a table") == "s3a://KEY:${PW}@bucket has a table"
    assert as_written("arrows, rows, 7rows") == "arrows, ${MY_TOKEN}, 7rows"


@pytest.mark.parametrize("key", ["lake", "control"])
def test_a_password_in_a_url_is_never_plain_text(key: str) -> None:
    with pytest.raises(ConfigurationError, match="holds a password as plain text") as caught:
        interpolated({key: "s3a://KEY:hunter-22@bucket"}, Path())
    assert "hunter-22" not in caught.value.what
