"""Gestures as JSON: what is written reads back the same, and broken documents are refused with their place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.builtin.library import gesture, gestures
from kinesphere.motion.document import read_document, to_plain
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import CHANNELS, MOST, Curve, Gesture, Keypoint, Keypoints, Palm, Space, Step, Stop
from kinesphere.motion.referent import Kind, Referent

NUMBERS = st.floats(-3.0, 3.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def increasing(most: float, at_least: int = 1) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(0.0, most), min_size=at_least, max_size=6, unique=True).map(sorted)


@st.composite
def random_gestures(draw) -> Gesture:
    duration = draw(st.floats(0.1, 600.0))
    rate = draw(st.sampled_from([24.0, 30.0, 60.0]))
    arms, inflections, palms, steps = {}, {}, {}, {}
    for side in ("left", "right"):
        frames = draw(increasing(duration * rate * 0.999))
        keys = [
            Keypoint(frame, draw(VECTORS), draw(NUMBERS), draw(st.sampled_from(Stop)), draw(st.sampled_from(Space)))
            for frame in frames
        ]
        arms[side] = Keypoints(tuple(keys), rate, f"{side}Arm", draw(st.booleans()))
        inflections[side] = tuple(draw(st.floats(0.01, 0.99)) for _ in keys)
        facing = st.one_of(st.none(), st.sampled_from([(0.0, 0.0, 1.0), (0.5, -1.0, 0.0)]))
        palms[side] = tuple(Palm(time, draw(facing)) for time in draw(increasing(duration)))
        times = draw(increasing(duration, 2))
        steps[side] = tuple(
            Step(lift, land, draw(NUMBERS), draw(NUMBERS), draw(NUMBERS))
            for lift, land in zip(times[::2], times[1::2], strict=False)
        )
    channels = draw(st.lists(st.sampled_from(list(CHANNELS)), max_size=4, unique=True))
    curves = {}
    for channel in channels:
        times = draw(increasing(duration))
        values = st.floats(-MOST[CHANNELS[channel]], MOST[CHANNELS[channel]])
        curves[channel] = Curve(tuple(times), tuple(draw(values) for _ in times))
    about = draw(st.text(max_size=5))
    times = draw(increasing(duration, 2))
    kinds = st.sampled_from(
        [("aim", None, (0.0, 1.0, 2.0)), ("aim", None, None), ("touch", "head", None), ("level", None, None)]
    )
    kind, joint, target = draw(kinds)
    fade = draw(st.one_of(st.none(), st.floats(0.0, 2.0)))
    kept = (Referent(Kind(kind), draw(st.sampled_from(("left", "right"))), *times[:2], joint, target, fade),)
    return Gesture(draw(st.text(max_size=8)), duration, **arms, curves=curves, inflections=inflections, palms=palms,
                   steps=steps, about=about, referents=kept)  # fmt: skip


@given(random_gestures())
def test_json_gives_the_same_gesture_back(made):
    assert read_document(Gesture, json.loads(json.dumps(to_plain(made))), "x.json") == made


@pytest.mark.parametrize("name", gestures())
def test_built_in_gestures_pass_through_json(name):
    made = gesture(name)
    assert to_plain(read_document(Gesture, json.loads(json.dumps(to_plain(made))), "x.json")) == to_plain(made)


def test_the_form_is_that_of_scores():
    arm = Keypoints((Keypoint(0, (0, -0.5, 0)), Keypoint(12, (0.2, 0, 0.4), 0.3, Stop.VIA, Space.GLOBAL)), 24.0)
    rest = {"palms": {"left": (Palm(0.0), Palm(1.0, (0, 0, 1)))}, "steps": {"left": (Step(0, 1, 0.1, 0.2),)}}
    made = Gesture("nod", 2.0, right=arm, curves={"head.nod": Curve((0.0, 1.0), (0.0, 0.2))}, **rest)
    assert to_plain(made) == {
        "name": "nod",
        "duration": 2.0,
        "right": {"rate": 24.0, "keys": [[0, 0, -0.5, 0, 0, "goal", "local"], [12, 0.2, 0, 0.4, 0.3, "via", "global"]]},
        "curves": {"head.nod": [[0, 0], [1, 0.2]]},
        "palms": {"left": [[0, None], [1, [0, 0, 1]]]},
        "steps": {"left": [[0, 1, 0.1, 0.2, 0]]},
    }


def places(value, at=()):
    yield at
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*at, key))


BROKEN = st.sampled_from(
    [None, True, "x", -1, 1e300, 10**400, float("nan"), float("inf"), [], {}, [[]], {"x": 1}, ["a"] * 9]
)


@given(random_gestures(), st.data())
def test_broken_documents_are_refused_with_their_place_and_nothing_else_is_raised(made, data):
    plain = json.loads(json.dumps(to_plain(made)))
    *way, last = data.draw(st.sampled_from([place for place in places(plain) if place]))
    here = plain
    for part in way:
        here = here[part]
    here[last] = data.draw(BROKEN)
    try:
        read = read_document(Gesture, plain, "x.json", "source")
    except MotionFileError as error:
        place = error.where
    else:
        assert isinstance(read, Gesture)
        return
    assert place == "source" or (place.startswith("source.") and str(way[0] if way else last) in place)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"right": {"keys": [[0, 0, 0, 0, "s", "goal", "local"]]}},
            r"g.right.keys\[0\]: found \"s\" for swivel; expected a num",
        ),
        ({"right": {"keys": [[0, 0, 0]]}}, r"g.right.keys\[0\]: found \[0, 0, 0\]; expected \[frame, x, y, z, swivel"),
        (
            {"right": {"keys": [[0, 0, 0, 0, 0, "gaol", "local"]]}},
            r"found \"gaol\" for stop; expected one of: goal, via; did you mean 'goal'\?",
        ),
        (
            {"right": {"keys": [[0, 0, 0, 0, 0, "goal", "local"]] * 100_001}},
            "right.keys: found 100001 entries; .*100000",
        ),
        ({"curves": {"head.nid": [[0, 1]]}}, "curves.head.nid: .*did you mean 'head.nod'"),
        ({"tracks": {}}, "g.tracks: found a field that nobody knows"),
        ({"source": {"path": "/etc"}}, "g.source: found a field that nobody knows"),
        (
            {"steps": {"left": [[0, 1, 0, 0, 0], [0.5, 1.5, 0, 0, 0]]}},
            r"steps.left\[1\]: found lifting at 0.5 s before",
        ),
        ({"steps": {"left": [[0, 2.5, 0, 0, 0]]}}, r"steps.left\[0\]: found 2.5 s; expected times from 0 to"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, said):
    with pytest.raises(MotionFileError, match=said):
        read_document(Gesture, {"name": "nod", "duration": 2.0} | change, "x.json", "g")
