"""The steps of shaping in their order, as ``engine.performed_recording`` takes them."""

from __future__ import annotations

from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.moments import shape_moments
from kinesphere.engine.shaping.spine import bend_spine
from kinesphere.maths.vectors import Floats


def shape_joints(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """What joints do by themselves, before the body is turned and hands are brought anywhere: in place."""
    shape_moments(context, asked, local)


def shape_trunk(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """What the trunk does beside its channels, and where the body looks: in place."""
    bend_spine(context, asked, local)
