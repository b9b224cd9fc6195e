"""Where the real captures are, and a count of the tests that used them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from kinesphere.motion.registry import PLUGIN_PREFIX

# The machine is shared and slow at times: an example that takes long is no failure. Examples are the same in every run,
# so that what passed here passes there; KINESPHERE_SEARCH=1 looks for others.
settings.register_profile(
    "kinesphere", deadline=None, print_blob=True, derandomize=os.environ.get("KINESPHERE_SEARCH") != "1"
)
settings.load_profile("kinesphere")

ROOT = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """The folder of captures: KINESPHERE_DATA, or the one beside the repository."""
    return Path(os.environ.get("KINESPHERE_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no captures in {folder}; set KINESPHERE_DATA to run this")
    return folder


@pytest.fixture
def rng():  # type: ignore[no-untyped-def]
    import numpy as np

    return np.random.default_rng(20260)


def pytest_terminal_summary(terminalreporter) -> None:  # type: ignore[no-untyped-def]
    """Say how many tests saw real data: a green run without any means less."""
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for outcome in count:
        for report in terminalreporter.stats.get(outcome, []):
            if "data" in getattr(report, "keywords", {}) and (report.when == "call" or outcome == "skipped"):
                count[outcome] += 1
    ran = count["passed"] + count["failed"]
    terminalreporter.write_line(
        f"data tests: {ran} ran, {count['skipped']} skipped (captures in {data_folder()})", bold=True
    )


@pytest.fixture(autouse=True)
def forget_plugins():
    """Files of plugins that a test has loaded are gone after it: processes that start later are told of none."""
    before = set(sys.modules)
    yield
    for name in [own for own in sys.modules if own.startswith(PLUGIN_PREFIX) and own not in before]:
        del sys.modules[name]
