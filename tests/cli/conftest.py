"""Commands tell their process to be patient; the tests that follow should not notice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kinesphere.kernels import compiled


@pytest.fixture(autouse=True)
def usual_patience() -> Iterator[None]:
    before = dict(compiled._state)
    yield
    compiled._state.update(before)
