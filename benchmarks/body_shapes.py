"""A hand is dragged, feet stay, balance is kept: the body-shape solver beside mink and SciPy, one pose at a time.

Run it with ``.venv/bin/python -W ignore benchmarks/body_shapes.py`` from the repository, with the ``bench`` extra.
All get the same figure, the same pose, and the same path of the hand, partly beyond the arm. mink (differential
inverse kinematics by quadratic programs, on MuJoCo) moves all joints of the body, by steps until hand, feet and
balance are met to a millimetre, 60 at most. SciPy's ``least_squares`` gets our unknowns and limbs; residuals are what
is missed, and its derivatives are differences. Both start from their last pose, as a program that drags would let
them, and mink once more from the given pose; ours always does, so that a pose does not depend on the way to it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import mink
import mujoco
import numpy as np
from scipy.optimize import least_squares

from kinesphere import Body, Motion
from kinesphere.body.mass import centre_of_mass
from kinesphere.body.shape_solver.constraints import BalanceConstraint, PointConstraint, ShapeConstraints
from kinesphere.body.shape_solver.demands import ShapeTask, demands_at, forward_poses, prior
from kinesphere.body.shape_solver.limbs import hang_arms, limb_rows, limb_tasks, place_limbs
from kinesphere.body.shape_solver.model import shape_model
from kinesphere.body.shape_solver.solve import solve_shape
from kinesphere.body.shape_solver.system import TrunkSystem
from kinesphere.builtin import motion as builtin_motion
from kinesphere.engine.phrases import figure_body
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from timing import Timing, report

POSES, ROUNDS, GOAL = 240, 3, 0.005
MET = 0.001  # metres, at which mink stops
STEPS = 60
STILL_PARTS = ("Eye", "Thumb", "Index", "Middle", "Ring", "Little", "Toes")  # which mink does not move
Pose = tuple[Floats, Floats]
NONE = np.zeros(3)


@dataclass
class Drag:
    """A figure that stands, and where its right hand is dragged."""

    body: Body = field(default_factory=figure_body)

    def __post_init__(self) -> None:
        """Take one moment of a gesture, and a path that leaves the arm's reach and comes back."""
        wave = builtin_motion("wave")
        self.motion: Motion = wave[len(wave) // 2 : len(wave) // 2 + 1]
        self.q, self.p = self.motion.world()
        self.roles = self.body.roles
        self.feet = [self.roles["leftFoot"], self.roles["rightFoot"]]
        self.hand = self.roles["rightHand"]
        self.com = centre_of_mass(self.motion)[0]
        u = np.linspace(0.0, 4.0 * np.pi, POSES)
        way = np.stack([-0.3 + 0.25 * np.sin(u), 0.4 + 0.25 * np.cos(2.0 * u), 0.7 + 0.2 * np.sin(0.5 * u)], axis=1)
        self.path = self.p[0, self.roles["hips"]] + self.body.lengths["leftLeg"] * way

    def constraints(self, target: Floats) -> ShapeConstraints:
        """What is asked: feet, hand and balance."""
        one = np.ones(1)
        points = [PointConstraint(foot, NONE, self.p[:, foot], one, self.q[:, foot]) for foot in self.feet]
        points.append(PointConstraint(self.hand, NONE, target[None], one))
        return ShapeConstraints(tuple(points), com=BalanceConstraint(self.com[None, [0, 2]], one))

    def missed(self, pose: Pose, target: Floats) -> Floats:
        """``(3,)`` metres that feet, hand and balance are off."""
        made = Motion(self.motion.skeleton, self.motion.rate, *pose)
        p = made.positions_world()[0]
        feet = max(float(np.linalg.norm(p[foot] - self.p[0, foot])) for foot in self.feet)
        away = (centre_of_mass(made)[0] - self.com)[[0, 2]]
        return np.array([feet, np.linalg.norm(p[self.hand] - target), np.linalg.norm(away)])


def ours(drag: Drag) -> Callable[[Floats], Pose]:
    """The body-shape solver."""

    def solve(target: Floats) -> Pose:
        solved = solve_shape(
            drag.body, drag.motion.rotations, drag.motion.translations, drag.constraints(target), drag.motion.rate
        )
        return solved.local, solved.translations

    return solve


def scipys(drag: Drag) -> Callable[[Floats], Pose]:
    """``least_squares`` (trust region reflective) on the solver's unknowns, limbs placed as the solver places them."""
    model, local, translations = shape_model(drag.body), drag.motion.rotations, drag.motion.translations
    given = forward_poses(model, local, translations)
    frames = np.arange(1)
    none = demands_at(ShapeTask(model, ShapeConstraints(), (), drag.motion.rate), given, frames)
    system = TrunkSystem(model, local[:, model.joints], translations[:, model.joints], none)
    known = prior(model, given, drag.constraints(drag.path[0]), frames, np.ones(1))
    columns = np.flatnonzero((known.most > known.least).any(axis=0))
    least, most, deviations = known.least[0, columns], known.most[0, columns], known.deviations[columns]
    last = np.zeros(len(columns))

    def solve(target: Floats) -> Pose:
        nonlocal last
        asked = drag.constraints(target).checked(1, len(drag.body.skeleton))
        tasks = tuple(task for _, task in limb_tasks(model, asked.points, given.q, given.p))
        rows = limb_rows(tasks, given.q, given.p)

        def pose(some: Floats) -> Pose:
            unknowns = np.zeros((1, len(known.deviations)))
            unknowns[:, columns] = some
            made_q, made_t = local.copy(), translations.copy()
            made_q[:, model.joints], made_t[:, model.joints] = system.posed(unknowns)
            hang_arms(model, given.q, made_q)
            place_limbs(model, rows, made_q, made_t)
            return made_q, made_t

        def residuals(some: Floats) -> Floats:
            made = forward_poses(model, *pose(some))
            away = [made.p[0, joint] - drag.p[0, joint] for joint in drag.feet]
            mass, joints, _, _ = model.masses
            centres = made.p[0, joints] + rotations.rotate(made.q[0, joints], model.mass_offsets)
            com = (mass @ centres - drag.com)[[0, 2]]
            hand = made.p[0, drag.hand] - target
            return np.concatenate([*(own / MET for own in (*away, hand, com)), some / deviations])

        start = np.clip(last, least + 1e-9, most - 1e-9)
        found = least_squares(residuals, start, bounds=(least, most), x_scale=deviations, ftol=1e-4, xtol=1e-5)
        last = found.x
        return pose(last)

    return solve


def figure_model(body: Body) -> tuple[mujoco.MjModel, list[int]]:
    """The figure in MuJoCo, with free hips and ball joints, and the joints that move, in its order."""
    spec, skeleton = mujoco.MjSpec(), body.skeleton
    parts = {joint: [part for part in body.mass if part.joint == joint] for joint in range(len(skeleton))}
    made: list[mujoco.MjsBody] = []
    moving = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = spec.worldbody if parent < 0 else made[parent]
        own = above.add_body(name=skeleton.names[joint], pos=skeleton.offsets[joint])
        if parent < 0:
            own.add_freejoint()
        elif not any(part in skeleton.names[joint] for part in STILL_PARTS):
            own.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, name=skeleton.names[joint])
            moving.append(joint)
        mass = sum(part.mass for part in parts[joint])
        own.explicitinertial = True
        own.mass = max(mass, 1e-6)
        if mass:
            own.ipos = sum(part.mass * np.array(part.offset) for part in parts[joint]) / mass
        own.inertia = np.full(3, 0.01 * max(mass, 1e-4))
        made.append(own)
    return spec.compile(), moving


def minks(drag: Drag, afresh: bool = False) -> Callable[[Floats], Pose]:
    """mink: two feet fixed, the hand at its target, the centre of mass, and the posture with little weight."""
    model, moving = figure_model(drag.body)
    names, local = drag.body.skeleton.names, drag.motion.rotations[0]
    configuration = mink.Configuration(model)
    start = np.concatenate([drag.motion.translations[0, 0], local[0], *(local[joint] for joint in moving)])
    configuration.update(start)
    feet = [
        mink.FrameTask(names[foot], "body", position_cost=10.0, orientation_cost=5.0, lm_damping=0.1)
        for foot in drag.feet
    ]
    for task in feet:
        task.set_target_from_configuration(configuration)
    hand = mink.FrameTask(names[drag.hand], "body", position_cost=10.0, orientation_cost=0.0, lm_damping=0.1)
    if not np.allclose(drag.motion.skeleton.rest_rotations, rotations.identity()):
        raise ValueError("MuJoCo's bodies are made without rest rotations; a figure with some is not the same")
    posture = mink.PostureTask(model, cost=0.02)
    posture.set_target(start)
    com = mink.ComTask(cost=np.array([10.0, 0.0, 10.0]))
    com.set_target(drag.com)
    tasks = [*feet, hand, com, posture]

    def solve(target: Floats) -> Pose:
        hand.set_target(mink.SE3.from_translation(target))
        if afresh:
            configuration.update(start)
        for _ in range(STEPS):
            configuration.integrate_inplace(mink.solve_ik(configuration, tasks, 1.0, solver="daqp", limits=[]), 1.0)
            away = [np.linalg.norm(task.compute_error(configuration)[:3]) for task in (*feet, hand)]
            away.append(np.linalg.norm(com.compute_error(configuration)[[0, 2]]))
            if max(away) < MET:
                break
        made_q, made_t = drag.motion.rotations.copy(), drag.motion.translations.copy()
        made_t[0, 0], made_q[0, 0] = configuration.q[:3], configuration.q[3:7]
        made_q[0, moving] = configuration.q[7:].reshape(-1, 4)
        return made_q, made_t

    return solve


def seconds_a_pose(solvers: dict[str, Callable[[Floats], Pose]], path: Floats) -> dict[str, Timing]:
    """Processor time of each pose of the path, over all rounds, in turns."""
    taken: dict[str, list[float]] = {name: [] for name in solvers}
    for _ in range(ROUNDS):
        for name, solve in solvers.items():
            for target in path:
                start = time.process_time()
                solve(target)
                taken[name].append(time.process_time() - start)
    return {name: Timing(min(times), statistics.median(times)) for name, times in taken.items()}


def main() -> None:
    """Say what each missed, how smoothly bodies went along, and what that cost."""
    drag = Drag()
    makers: dict[str, Callable[[Drag], Callable[[Floats], Pose]]] = {
        "ours": ours,
        "SciPy least_squares": scipys,
        "mink": minks,
        "mink, afresh": partial(minks, afresh=True),
    }
    print(f"{POSES} poses of the figure, {len(drag.body.skeleton)} joints; hand, feet, balance; millimetres")
    titles = ("hand", "feet", "balance", "quickest joint", "bend", "comes back", "from the pose")
    print(f"\n  {'':<22}" + "".join(f"{title:>16}" for title in titles))
    for name, maker in makers.items():
        solve = maker(drag)
        poses = [solve(target) for target in drag.path]
        missed = 1000.0 * np.array([drag.missed(pose, target) for pose, target in zip(poses, drag.path, strict=True)])
        q, t = (np.concatenate(rows) for rows in zip(*poses, strict=True))
        places = 1000.0 * Motion(drag.motion.skeleton, 60.0, q, t).positions_world()
        step = np.linalg.norm(np.diff(places[10:], axis=0), axis=2).max(axis=1)
        hand = 1000.0 * np.linalg.norm(np.diff(drag.path[10:], axis=0), axis=1)
        bend = np.linalg.norm(np.diff(places[10:], 2, axis=0), axis=2).max()
        again = np.linalg.norm(places[-1] - places[0], axis=1).max()
        turned = np.degrees(rotations.angle_between(q, drag.motion.rotations)).sum(axis=1).mean()
        cells = (
            *(f"{np.median(column):.2f}, {column.max():.1f}" for column in missed[:, [1, 0, 2]].T),
            f"{(step / hand).max():.1f} x hand",
            f"{bend:.1f}",
            f"{again:.1f}",
            f"{turned:.0f} degrees",
        )
        print(f"  {name:<22}" + "".join(f"{cell:>16}" for cell in cells))
    results = seconds_a_pose({name: maker(drag) for name, maker in makers.items()}, drag.path)
    report(f"processor time of a pose (goal: {1e3 * GOAL:g} ms)", results, "ours", {})


if __name__ == "__main__":
    main()
