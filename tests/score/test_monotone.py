"""Every dial does what it says, and more of it does more of it."""

import numpy as np
import pytest

from kinesphere import Effort, Shape, perform
from kinesphere.builtin import gesture
from kinesphere.maths import rotations
from score.gestures import five_goals, wrist_seen

DIAL = np.linspace(-1.0, 1.0, 9)
UP = np.linspace(0.0, 1.0, 6)
INTENSITY = np.linspace(0.0, 2.0, 9)


def rises(values, least=0.0, slack=1e-9):
    """Never falls, and rises by so much altogether."""
    steps = np.diff(values)
    return bool((steps >= -slack).all()) and values[-1] - values[0] > least


def straightness(made):
    """Chord over way of the strokes between five goals, at locked times."""
    seen = wrist_seen(made)
    shares = []
    for start in (0, 60, 120, 180):
        part = seen[start : start + 61]
        shares.append(np.linalg.norm(part[-1] - part[0]) / np.linalg.norm(np.diff(part, axis=0), axis=1).sum())
    return float(np.mean(shares))


def peak(made, start=0.0, end=1.0):
    """The moment of the greatest speed in the first stroke of five goals, as a share of it."""
    seen = wrist_seen(made)
    count = round((len(seen) - 1 - 30 * (len(seen) - 1) / 270) / 4)  # frames of a stroke
    fast = np.linalg.norm(np.diff(seen[: count + 1], axis=0), axis=1)
    return float(np.argmax(fast) + 0.5) / count


def beyond(made, goal, origin, start):
    """How far past a goal the hand goes in the stroke that begins at a frame, along the way to it, in metres."""
    way = np.subtract(goal, origin) / np.linalg.norm(np.subtract(goal, origin))
    return float(((wrist_seen(made) - goal)[start : start + 61] @ way).max())


def flexion(made):
    """The wrist's largest bend towards the palm while the arm is up, in radians."""
    index = made.skeleton.index
    placed = made.positions_world()
    fore = placed[:, index("rightHand")] - placed[:, index("rightLowerArm")]
    hand = placed[:, index("rightMiddleProximal")] - placed[:, index("rightHand")]
    fore, hand = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (fore, hand))
    angle = np.arccos(np.clip(np.sum(fore * hand, axis=1), -1.0, 1.0))
    return float(np.median(angle[20:-20]))


def spread(made):
    place = made.positions_world()
    index = made.skeleton.index
    return float(np.abs(place[:, index("leftHand"), 0] - place[:, index("rightHand"), 0])[60:130].mean())


def test_space_straightens():
    made = [straightness(perform(five_goals(), Effort(space=v), lock_times=True)) for v in DIAL]
    assert rises(made, 0.1)


def test_time_shortens_and_puts_the_peak_later():
    made = [perform(five_goals(), Effort(time=v)) for v in DIAL]
    lasts = [-m.duration for m in made]
    assert rises(lasts, 5.0)
    assert made[0].duration > 1.8 * made[4].duration > 3.2 * made[8].duration
    peaks = [peak(m) for m in made]
    assert rises(peaks, 0.15, slack=0.03)


def test_bound_lasts_longer_and_free_overshoots():
    assert rises([perform(five_goals(), Effort(flow=v)).duration for v in UP], 2.0)
    goals = [key.position for key in five_goals().right.keys]
    over, passed = [], []
    for v in UP:
        made = perform(five_goals(), Effort(flow=-v), lock_times=True)
        over.append(beyond(made, goals[4], goals[3], 180))
        passed.append(np.linalg.norm(np.diff(wrist_seen(made)[[60, 61, 120, 121, 180, 181]], axis=0)[::2], axis=1))
    assert rises(over, 0.02, slack=1e-3)
    assert over[0] < 1e-3
    assert all(rises(60.0 * speeds, 0.1) for speeds in np.transpose(passed))  # goals on the way are not stopped at


@pytest.mark.parametrize("model", ["chi1999", "emote2000"])
def test_free_of_the_sources_overshoots_every_goal(model):
    goals = [key.position for key in five_goals().right.keys]
    made = [perform(five_goals(), Effort(flow=-v, model=model), lock_times=True) for v in UP]
    for i in range(4):
        over = [beyond(one, goals[i + 1], goals[i], 60 * i) for one in made]
        assert rises(over, 0.02, slack=1e-3)
        assert over[0] < 1e-3


def test_bound_flexes_the_wrist():
    made = [flexion(perform(five_goals(), Effort(flow=v))) for v in UP]
    assert rises(made, 0.15, slack=1e-3)


def test_strong_anticipates_and_light_does_not():
    goals = [key.position for key in five_goals().right.keys]
    back = np.subtract(goals[0], goals[1]) / np.linalg.norm(np.subtract(goals[0], goals[1]))
    far = [((wrist_seen(perform(five_goals(), Effort(weight=v), lock_times=True)) - goals[0])[:60] @ back).max()
           for v in (-1.0, 0.0, 0.5, 1.0)]  # fmt: skip
    assert far[3] > far[2] > far[1] == pytest.approx(far[0], abs=1e-3)


def test_weight_and_flow_scale_the_surface():
    light, free = (perform(five_goals(), e).scales for e in (Effort(weight=-1), Effort(flow=-1)))
    strong = perform(five_goals(), Effort(weight=1))
    chest, arm = (strong.skeleton.index(name) for name in ("chest", "rightUpperArm"))
    assert light[:, chest].max() > free[:, chest].max() > 1.05
    assert strong.scales[:, chest, 1].min() < 0.87  # breath shortens and widens
    assert strong.scales[:, chest, [0, 2]].max() > 1.07
    assert strong.scales[:, arm, 2].max() > 1.15
    for scales in (light, free, strong.scales):  # volume is kept
        assert np.prod(scales[:, chest], axis=-1) == pytest.approx(1.0, abs=1e-9)
    assert np.array_equal(
        strong.translations[:, 1:], np.broadcast_to(strong.skeleton.offsets[1:], strong.translations[:, 1:].shape)
    )


@pytest.mark.parametrize("name", ["emphasise", "wave", "shrug"])
def test_rising_lifts_the_head(name):
    def height(value):
        made = perform(name, shape=Shape(vertical=value))
        return float(-made.positions_world()[:, made.skeleton.index("head"), 1].mean())

    assert rises([height(v) for v in DIAL], 0.04, slack=1e-6)


def test_spreading_parts_the_hands():
    assert rises([-spread(perform("emphasise", shape=Shape(horizontal=v))) for v in DIAL], 0.4)


@pytest.mark.parametrize("name", ["wave", "emphasise", "shrug", "clap"])
def test_beyond_full_spreading_hands_come_no_nearer(name):
    """Shoulders that were drawn back ever further would bring them together again."""
    made = [spread(perform(name, shape=Shape(horizontal=-1.0), intensity=float(i))) for i in INTENSITY]
    assert rises(made, 0.1, slack=1e-4)


def test_advancing_reaches_forward():
    def ahead(value):
        made = perform("emphasise", shape=Shape(sagittal=value))
        return float(-made.positions_world()[60:130, made.skeleton.index("rightHand"), 2].mean())

    assert rises([ahead(v) for v in DIAL], 0.2)


def test_far_is_farther_from_the_middle():
    def away(value):
        made = perform("emphasise", shape=Shape(reach=value))
        place = made.positions_world()
        return float(np.linalg.norm(place[60:130, made.skeleton.index("rightHand")] - place[60:130, 0], axis=1).mean())

    assert rises([away(v) for v in DIAL], 0.1)


@pytest.mark.parametrize(
    "measure",
    [
        lambda i: -straightness(perform(five_goals(), Effort(space=-0.6), intensity=i, lock_times=True)),
        lambda i: perform(five_goals(), Effort(time=-0.6), intensity=i).duration,
        lambda i: -perform(five_goals(), Effort(time=0.6), intensity=i).duration,
        lambda i: flexion(perform(five_goals(), Effort(flow=0.6), intensity=i, lock_times=True)),
        lambda i: -perform("wave", shape=Shape(vertical=0.6), intensity=i).positions_world()[:, 6, 1].mean(),
        lambda i: spread(perform("emphasise", shape=Shape(horizontal=-0.5), intensity=i)),
        lambda i: perform(five_goals(), Effort(weight=-0.6), intensity=i).scales[:, 3].max() if i else 1.0,
    ],
    ids=["round", "long", "short", "bent", "low", "wide", "stretched"],
)
def test_intensity_does_more_of_everything(measure):
    made = [measure(float(i)) for i in INTENSITY]
    assert rises(made, 0.02, slack=2e-3)
    assert made[-1] > made[4]  # above 1 there is still more


def test_no_intensity_is_neutral():
    made = perform("emphasise", Effort(-1, 1, -1, 1), Shape(-1, 1, 1, -1), words="angry", intensity=0.0)
    assert np.abs(made.rotations - perform("emphasise").rotations).max() < 1e-9


def test_stillness_goes_from_restless_to_a_statue():
    def life(value):
        made = perform(gesture("bow"), stillness=value, seed=1)
        place = made.positions_world()
        calm = perform(gesture("bow"), stillness=1.0, seed=1).positions_world()
        frames = min(len(place), len(calm))
        return float(np.linalg.norm(place[:frames] - calm[:frames], axis=-1)[:, :8].mean())

    made = [life(v) for v in (1.0, 0.5, 0.0, -0.5, -1.0)]
    assert rises(made, 0.005)
    assert made[0] == 0.0


def test_wrists_come_back_at_goals():
    """Twists close at every goal, so poses there are the same whatever the Effort."""
    plain, made = (perform(five_goals(), e, lock_times=True) for e in (Effort(), Effort(space=-1)))
    elbow = plain.skeleton.index("rightLowerArm")
    for frame in (60, 120, 180):
        away = rotations.angle_between(plain.rotations[frame, elbow], made.rotations[frame, elbow])
        assert away < 0.02


def test_affinities_bring_shape_and_hands_along():
    plain, strong, light = (
        perform("emphasise", effort, affinities=True) for effort in (Effort(), Effort(weight=1), Effort(weight=-1))
    )
    assert np.abs(plain.rotations - perform("emphasise").rotations).max() < 1e-9
    heads, curls = [], []
    for made in (light, plain, strong):
        place = made.positions_world()
        index = made.skeleton.index
        heads.append(place[:, index("head"), 1].mean())
        tip, wrist = place[60:130, index("rightMiddleDistal")], place[60:130, index("rightHand")]
        curls.append(np.linalg.norm(tip - wrist, axis=1).mean())
    assert heads[0] > heads[1] > heads[2]
    assert curls[0] > curls[1] > curls[2] + 0.03


@pytest.mark.parametrize("name", ["wave", "punch", "knock", "beckon", "emphasise", "point"])
def test_the_more_sudden_the_shorter_and_no_hand_beyond_what_hands_do(name):
    made = [perform(name, Effort(time=value)) for value in np.linspace(-1.0, 1.0, 11)]
    frames = [len(one) for one in made]
    assert all(later <= earlier for earlier, later in zip(frames[:-1], frames[1:], strict=True))
    assert frames[-1] < 0.6 * frames[5]


@pytest.mark.parametrize("name", ["wave", "punch", "knock", "beckon"])
@pytest.mark.parametrize("word", ["angry", "suddenly"])
def test_the_more_intense_a_quick_word_the_shorter(name, word):
    frames = [len(perform(name, words=word, intensity=value)) for value in (0.0, 0.5, 1.0, 1.25, 1.5, 2.0)]
    assert all(later <= earlier for earlier, later in zip(frames[:-1], frames[1:], strict=True))
