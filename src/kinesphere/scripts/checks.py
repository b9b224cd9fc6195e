"""Checks of scripts before anything is rendered: rows, times, conflicts, properties, and whether hands get there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.shape_solver.constraints import PointConstraint, ShapeConstraints
from kinesphere.body.shape_solver.solve import solve_shape
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import generate
from kinesphere.engine.proportions import LEG
from kinesphere.engine.shaping.goals import point_of_hand
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import integrate
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.scripts.script_file import Script, load_script, script_errors
from kinesphere.scripts.script_phrase import POINT_OF, HandGoal, reaches_of, script_phrase

MISSED = 0.005  # metres by which a goal is out of reach
EDGE, ALLOWED = 1.02, 0.5  # of half the support, and of a step from which on one may be taken
STANDS = 0.1  # seconds of a body that stands


def check_script(source: str | Path | Script, body: Body) -> list[MotionFileError]:
    """Everything that is wrong with a script for a body, in the order of its lines; empty where nothing is."""
    if not isinstance(source, Script):
        found = script_errors(source)
        if found:
            return found
        source = load_script(source)
    try:
        script_phrase(source, body)
    except MotionFileError as error:
        return [error]
    fallen = _falls(source, script_phrase(source, body))
    reached = (_out_of_reach(source, body, own) for own in reaches_of(source, body))
    return sorted((*fallen, *(own for own in reached if own is not None)), key=lambda own: own.line or 0)


def _falls(script: Script, phrase: Phrase) -> Iterator[MotionFileError]:
    """Balances that nobody can keep: beyond the feet, where no foot may step."""
    steps = integrate(phrase.claims).value("balance.step")
    rows: dict[tuple[str, str], float] = {}
    for claim in phrase.claims:
        if claim.aspect in ("balance.x", "balance.z") and claim.source in ("action", "edit"):
            asked = np.abs(np.asarray(claim.value) * claim.weight)
            beyond = float(np.max(np.where(np.asarray(steps) < ALLOWED, asked, 0.0)))
            key = claim.source, claim.origin
            rows[key] = max(rows.get(key, 0.0), beyond)
    for (source, origin), beyond in rows.items():
        if beyond > EDGE:
            found = f"a centre of mass {100.0 * (beyond - 1.0):.0f} % of half the support beyond the feet, and no step"
            expected = "a share up to 1, or step = true, so that a foot steps out in time"
            yield script.file.error(_place_of(script, source, origin), found, expected)


def _place_of(script: Script, source: str, origin: str) -> tuple[int | str, ...]:
    """Where in a script a claim comes from."""
    if source == "edit":
        return ("edit", int(origin) - 1)
    return ("action", next((own.index for own in script.actions if own.name == origin), 0))


def _out_of_reach(script: Script, body: Body, reach: HandGoal) -> MotionFileError | None:
    """The error of a goal that the body does not reach from where it stands, however it bends."""
    if reach.goal.do == "point":
        return None
    missed = missed_by(body, reach)
    if missed < MISSED:
        return None
    x, y, z = reach.goal.place
    found = (
        f"{reach.action.action.name}, a place at [{x:g}, {y:g}, {z:g}] that the {reach.goal.hand} hand misses by "
        f"{100.0 * missed:.0f} cm, however the body bends"
    )
    expected = "a place within reach of where the body stands; steps bring it nearer"
    return script.file.error(("action", reach.action.action.index), found, expected)


def missed_by(body: Body, reach: HandGoal) -> float:
    """Metres by which a hand misses its goal: the whole body bends to it, and feet stay."""
    stood = _standing(body)
    local, translations = stood.rotations[:1].copy(), stood.translations[:1].copy()
    _move(body, reach, local, translations)
    q, p = Motion(stood.skeleton, stood.rate, local, translations).world()
    hand = body.roles[f"{reach.goal.hand}Hand"]
    point = reach.goal.point or POINT_OF[reach.goal.do]
    offset = np.broadcast_to(point_of_hand(body, reach.goal.hand, point, local), (1, 3))[0]
    one = np.ones(1)
    points = [PointConstraint(hand, offset, np.array([reach.goal.place]), one)]
    for side in SIDES:
        foot = body.roles[f"{side}Foot"]
        points.append(PointConstraint(foot, np.zeros(3), p[:, foot], one, q[:, foot]))
    solved = solve_shape(body, local, translations, ShapeConstraints(tuple(points)))
    return float(solved.missed[0].max())


@memoised
def _standing(body: Body) -> Motion:
    return generate(Phrase("stands", body, STANDS, life=0.0))


def _move(body: Body, reach: HandGoal, local: Floats, translations: Floats) -> None:
    """Put a pose where the body stands, in place."""
    leg = LEG * embody(body).actor.size
    turned = rotations.from_rotation_vector(np.array([0.0, reach.stands.turn, 0.0]))
    away = np.array([leg * reach.stands.x, 0.0, leg * reach.stands.z])
    for root in np.flatnonzero(body.skeleton.parents < 0).tolist():
        translations[:, root] = away + rotations.rotate(turned, translations[:, root])
        local[:, root] = rotations.multiply(turned, local[:, root])
