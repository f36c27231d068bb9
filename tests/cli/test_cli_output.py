"""What a command prints cannot steer a terminal, as JSON neither."""

from __future__ import annotations

import io
import json

from cutline.cli.output import Output

HOSTILE = "a\u202eb\u2066c\x1b[31m\x9b31m\x7f\u200f\u2028\ufeff\U000e0001é€😀\ud800"


def test_a_json_document_is_printable_and_says_the_same() -> None:
    stream = io.StringIO()
    Output(stream).document([{HOSTILE: HOSTILE, "plain": "żółw"}])
    text = stream.getvalue()
    assert all(line.isprintable() for line in text.split("\n"))
    assert json.loads(text) == [{HOSTILE: HOSTILE, "plain": "żółw"}]
    assert "żółw" in text
    assert "é€😀" in text
