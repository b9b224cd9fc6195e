"""``docs/reference.md`` is what the classes say."""

from __future__ import annotations

import runpy

from conftest import ROOT
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS


def test_the_page_is_as_the_annotations_are():
    tool = runpy.run_path(str(ROOT / "tools" / "reference.py"))
    text = tool["reference_text"]()
    for registry in (MOTION_EDITS, PHRASE_EDITS, BEHAVIOURS):
        for name in registry.names():
            assert f"### {name}\n" in text
    assert tool["PAGE"].read_text(encoding="utf-8") == text, "run python tools/reference.py"
