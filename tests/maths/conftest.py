"""Both implementations of what has two."""

from __future__ import annotations

import pytest

from kinesphere.maths import compiled


@pytest.fixture(scope="module", params=["numpy", "compiled"])
def implementation(request):  # type: ignore[no-untyped-def]
    """Run a module's tests with NumPy's implementations of kernels and with the compiled ones."""
    before = compiled.use_compiled()
    compiled._decision[:] = [request.param == "compiled"]
    yield request.param
    compiled._decision[:] = [before]
