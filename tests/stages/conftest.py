"""What the tests of advances and re-drives share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def sorted_out() -> Iterator[None]:
    """What is needed of all changes is found, however few they are."""
    from cutline.stages.advance import concern

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concern, "FEW_CHANGES", 0)
        yield
