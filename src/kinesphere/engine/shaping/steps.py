"""The steps of shaping in their order, as ``engine.performed_recording`` takes them."""

from __future__ import annotations

from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.amplitude import scale_excursions
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.give_way import give_way
from kinesphere.engine.shaping.holds import live_in_holds
from kinesphere.engine.shaping.incomplete import shorten_strokes
from kinesphere.engine.shaping.moments import shape_moments
from kinesphere.engine.shaping.spine import bend_spine, carry_head
from kinesphere.engine.shaping.tension import tense
from kinesphere.engine.shaping.tremble import tremble
from kinesphere.maths.vectors import Floats


def shape_joints(context: PerformanceContext, asked: AskedShaping, local: Floats, translations: Floats) -> None:
    """What joints do by themselves, before the body is turned and hands are brought anywhere: in place."""
    shape_moments(context, asked, local, translations)
    shorten_strokes(context, asked, local)
    scale_excursions(context, asked, local)
    live_in_holds(context, local, translations)
    tense(context, asked, local, translations)
    tremble(context, asked, local)


def shape_trunk(
    context: PerformanceContext, asked: AskedShaping, before: RecordedWorld, local: Floats, translations: Floats
) -> None:
    """What the trunk does beside its channels, and where the body looks: in place."""
    unbent = local.copy()
    bend_spine(context, asked, local)
    carry_head(context, asked, local)
    give_way(context, before, unbent, local, translations)
