// Arms of a recording that edits have moved: hands off their shoulders, elbows that come down, turns that are smooth.
#include "engine/recorded_limbs.hpp"
#include "maths/filters.hpp"

namespace kinesphere {

namespace {

constexpr double BENT_MORE = 0.4;  // radians of an elbow, over which wrists come to be as far out as asked

}  // namespace

// ArmRange of recorded_targets.py.
struct ArmRange {
    double nearest;  // metres from shoulder to wrist of a folded arm
    double felt;     // metres in which that is felt
    double kept;     // of the recorded distance that is always allowed
    double soft;     // share of its length in which it comes softly to straight
};

// Write how a hand (T,) that hangs (T,) is carried (T, 4) with a chest that has turned (T, 4), in which axes (T, 4) it
// is displaced, of a chest that was turned so (T, 4), by how much (T, 3), an arm length times `away` (T, 3), and where
// it is then (T, 3), of a shoulder (T, 3) and recorded (T, 3) from it.
static void displace_hand(Floats<2> carried, Floats<2> chest, Floats<1> hangs, double length, Floats<2> away,
                          Floats<2> shoulders, Floats<2> recorded, FloatsOut<2> hung, FloatsOut<2> axes,
                          FloatsOut<2> displaced, FloatsOut<2> targets) {
    for (Index t = 0; t < targets.shape[0]; ++t) {
        const Quat turned = read_quaternion(carried.at(t));
        const Quat own = hangs(t) == 0.0 ? turned : slerp(turned, {1.0, 0.0, 0.0, 0.0}, hangs(t));
        const Quat frame = own * read_quaternion(chest.at(t));
        const Vec3 by = length * rotate(frame, read_vector(away.at(t)));
        write_quaternion(hung.at(t), own);
        write_quaternion(axes.at(t), frame);
        write_vector(displaced.at(t), by);
        write_vector(targets.at(t), read_vector(shoulders.at(t)) + rotate(own, read_vector(recorded.at(t))) + by);
    }
}

// Write displacements (T, 3) of targets (T, 3): none is out of reach from its shoulder (T, 3) of an arm (T,) long, or
// of how far the wrist was recorded from it (T, 3). Say whether any was.
static bool keep_in_reach(const ArmRange& arm, Floats<2> recorded, Floats<1> longest, Floats<2> shoulders,
                          Floats<2> targets, FloatsOut<2> out) {
    bool any = false;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const Vec3 way = read_vector(targets.at(t)) - read_vector(shoulders.at(t));
        const double far = most(norm(way), 1e-9);
        const double near = reach(norm(read_vector(recorded.at(t))), far, longest(t), arm.soft);
        write_vector(out.at(t), (near / far - 1.0) * way);
        any = any || near != far;
    }
    return any;
}

// Write displacements (T, 3) of targets (T, 3): no wrist comes so near to its shoulder (T, 3) that the elbow folds,
// unless it did. `recorded (T, 3)` is from shoulder to wrist, in a chest that was then carried (T, 4) along. It stays
// on the side where it was recorded: on the way past the middle an arm turns at once.
static void keep_off_shoulder(const ArmRange& arm, Floats<2> carried, Floats<2> recorded, Floats<2> shoulders,
                              Floats<2> targets, FloatsOut<2> out) {
    const auto softened = [](double own) {  // log(1 + exp(4 own))
        const double x = 4.0 * least(own, 100.0);
        return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    };
    // Beyond this distance, squared, none of what follows pushes.
    const double widest = most(arm.nearest, 1e-9), farthest = square(widest) + square(1.2 * widest + 1.5 * arm.felt);
    for (Index t = 0; t < out.shape[0]; ++t) {
        const Vec3 way = read_vector(targets.at(t)) - read_vector(shoulders.at(t));
        write_vector(out.at(t), {0.0, 0.0, 0.0});
        if (dot(way, way) > farthest) continue;
        const Vec3 was = rotate(read_quaternion(carried.at(t)), read_vector(recorded.at(t)));
        const double far = norm(was), near = most(least(arm.nearest, arm.kept * far), 1e-9);
        const Vec3 aside = was / most(far, 1e-9);
        const double along = dot(way, aside), off = norm(way - along * aside);
        if (off >= near) continue;
        const double height = std::sqrt(square(near) - square(off)), shortage = (height - along) / arm.felt;
        if (shortage <= -1.5) continue;
        // A hand that is where it was recorded is not pushed at all; what is well past its shoulder may be there.
        const double more = softened(shortage) - softened((near - far) / arm.felt) - 1e-9;
        const double inside = smoothstep((1.0 - off / near) / 0.3) * smoothstep(along / near + 1.2);
        write_vector(out.at(t), 0.25 * arm.felt * most(more, 0.0) * inside * aside);
    }
}

// Write swivels (T,) that bring elbows down which are higher above their shoulders than `highest (T,)`, up along a
// chest (T, 4). They go down on the side where they are; one that is straight up goes outwards, to its left by a
// sign. What is above the limbs is turned and placed so (T, 7). Give the greatest.
static double lower_elbow(const Limb& limb, Floats<2> above, Floats<1> highest, Floats<2> chest, double outwards,
                          FloatsOut<3> rotations, FloatsOut<3> translations, FloatsOut<1> out) {
    double greatest = 0.0;
    for (Index t = 0; t < out.shape[0]; ++t) {
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Placement upper = upper_joint(limb, pose, above, t);
        const Placement lower = pose.world_below(limb.upper, upper, limb.lower);
        const Vec3 end = pose.world_below(limb.lower, lower, limb.end).position,
                   up = rotate(read_quaternion(chest.at(t)), {0.0, 1.0, 0.0});
        const Vec3 bone = lower.position - upper.position, way = end - upper.position;
        const Vec3 axis = way / most(norm(way), 1e-9);
        const double along = dot(bone, axis);
        const Vec3 off = bone - along * axis, upward = up - dot(up, axis) * axis;
        out(t) = 0.0;
        if (dot(bone, up) <= highest(t) - 1e-12) continue;  // it is lower already
        const double high = most(norm(off) * norm(upward), 1e-9);
        const double angle = std::atan2(dot(cross(upward, off), axis), dot(upward, off));
        const double needed = std::acos(clamp((highest(t) - along * dot(up, axis)) / high, -1.0, 1.0));
        const double missing = most(needed - std::abs(angle), 0.0);
        const double aside = dot(cross(upward, rotate(read_quaternion(chest.at(t)), {outwards, 0.0, 0.0})), axis);
        const double side = std::abs(angle) > 0.3 ? angle : aside + 1e-12;
        out(t) = side < 0.0 ? -missing : missing;
        greatest = most(greatest, missing);
    }
    return greatest;
}

// Write how both bones of T arms were turned (T, 2, 4) from how they were carried (T, 2, 4), with signs that go on.
static void arm_turns(const Limb& limb, Floats<3> carried, Floats<3> rotations, FloatsOut<3> turns) {
    const Index joints[] = {limb.upper, limb.lower};
    for (Index t = 0; t < turns.shape[0]; ++t)
        for (Index k = 0; k < 2; ++k) {
            Quat q = conjugate(read_quaternion(carried.at(t, k))) * read_quaternion(rotations.at(t, joints[k]));
            if (t > 0) {
                const Quat before = read_quaternion(turns.at(t - 1, k));
                if (q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z < 0.0) q = -q;
            }
            write_quaternion(turns.at(t, k), q);
        }
}

// The way from a limb's upper joint to its end, in the axes above the limb.
static Vec3 wrist_ray(const PoseView& pose, const Limb& limb) {
    const Placement upper = {pose.local(limb.upper), {0.0, 0.0, 0.0}};
    return pose.world_below(limb.upper, upper, limb.end).position;
}

// Write these of T poses (T, 3).
static void wrist_rays(const Limb& limb, FloatsOut<3> rotations, FloatsOut<3> translations, FloatsOut<2> out) {
    for (Index t = 0; t < out.shape[0]; ++t)
        write_vector(out.at(t), wrist_ray({limb.parents, rotations.at(t), translations.at(t)}, limb));
}

// A limb's middle joint, in the axes above the limb.
struct Elbow {
    Quat above;      // rotation of what it turns against
    Vec3 bone, way;  // to it, and on to the limb's end
    Vec3 normal;     // of the plane of both, as long as their product
    double bend;     // radians from straight

    Elbow(const PoseView& pose, const Limb& limb) {
        const Placement upper = {pose.local(limb.upper), {0.0, 0.0, 0.0}};
        const Placement lower = pose.world_below(limb.upper, upper, limb.lower);
        above = lower.rotation * conjugate(pose.local(limb.lower)), bone = lower.position;
        way = pose.world_below(limb.lower, lower, limb.end).position - bone;
        normal = cross(bone, way), bend = std::atan2(norm(normal), dot(bone, way));
    }
};

// By how much an elbow is to be bent for the wrist to be as far from its shoulder as asked: as far as it is bent more
// than it was. By the same turns the wrist goes farther then; that of an arm less bent would have to turn faster.
static double elbow_missing(const Elbow& now, double was, double wanted) {
    const double a = norm(now.bone), b = norm(now.way);
    if (norm(now.normal) < 1e-9 * most(a * b, 1.0)) return 0.0;
    const double then = std::acos(clamp((square(wanted) - square(a) - square(b)) / (2.0 * a * b), -1.0, 1.0));
    return smoothstep((least(now.bend, then) - was) / BENT_MORE) * (then - now.bend);
}

// Bring turns (T, 2, 4) of both bones towards calm ones (T, 2, 4) by shares (T,), in T poses that are changed in place.
// Write by how much elbows are to be bent (T,) for wrists to be as far from their shoulders as rays (T, 3) are long.
static void calm_turns(const Limb& limb, Floats<3> carried, Floats<3> turns, Floats<3> calm, Floats<2> rays,
                       Floats<1> shares, FloatsOut<3> rotations, FloatsOut<3> translations, FloatsOut<1> bends) {
    const Index joints[] = {limb.upper, limb.lower};
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        bends(t) = 0.0;
        if (shares(t) <= 0.0) continue;
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        for (Index k = 0; k < 2; ++k) pose.set(joints[k], read_quaternion(carried.at(t, k)));
        const double was = Elbow(pose, limb).bend;
        for (Index k = 0; k < 2; ++k) {
            const Quat own = read_quaternion(turns.at(t, k));
            Quat aim = read_quaternion(calm.at(t, k));
            const double size = most(std::sqrt(dot(aim, aim)), 1e-12) * (dot(own, aim) < 0.0 ? -1.0 : 1.0);
            aim = {aim.w / size, aim.x / size, aim.y / size, aim.z / size};
            pose.set(joints[k],
                     read_quaternion(carried.at(t, k)) * (shares(t) < 1.0 ? slerp(own, aim, shares(t)) : aim));
        }
        bends(t) = shares(t) * elbow_missing(Elbow(pose, limb), was, norm(read_vector(rays.at(t))));
    }
}

// Bend elbows of T poses in their planes, in place, by angles (T,), and turn upper bones by shares (T,) until wrists
// are in the directions of rays (T, 3) from their shoulders, in the axes above the limb.
static void bring_wrists(const Limb& limb, Floats<1> bends, Floats<2> rays, Floats<1> shares, FloatsOut<3> rotations,
                         FloatsOut<3> translations) {
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        if (shares(t) <= 0.0) continue;
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Elbow elbow(pose, limb);
        const double size = norm(elbow.normal);
        if (bends(t) != 0.0 && size > 0.0) {
            const Quat turn = axis_angle_quaternion(elbow.normal / size, bends(t));
            pose.set(limb.lower, conjugate(elbow.above) * turn * elbow.above * pose.local(limb.lower));
        }
        const Vec3 now = wrist_ray(pose, limb), way = read_vector(rays.at(t));
        if (norm(now) < 1e-9 || norm(way) < 1e-9) continue;
        const Quat whole = quaternion_between(now, way);
        pose.set(limb.upper, slerp({1.0, 0.0, 0.0, 0.0}, whole, shares(t)) * pose.local(limb.upper));
    }
}

// Smooth in time, by weights, how far joints (K,) of T poses have turned from how they were (T, K, 4), in place.
// Frames that nothing has moved (T,) stay.
static void smooth_changes(Floats<3> was, Ints<1> joints, Floats<1> weights, Bools<1> moved, FloatsOut<3> rotations) {
    const Index frames = rotations.shape[0];
    Scratch<double, 2> turns(4, frames), calm(4, frames);  // rotations less none: nothing stays nothing
    for (Index k = 0; k < joints.shape[0]; ++k) {
        Quat last = {1.0, 0.0, 0.0, 0.0};
        for (Index t = 0; t < frames; ++t) {
            Quat turn = conjugate(read_quaternion(was.at(t, k))) * read_quaternion(rotations.at(t, joints(k)));
            if (turn.w * last.w + turn.x * last.x + turn.y * last.y + turn.z * last.z < 0.0) turn = -turn;
            turns(0, t) = turn.w - 1.0, turns(1, t) = turn.x, turns(2, t) = turn.y, turns(3, t) = turn.z;
            last = turn;
        }
        for (Index part = 0; part < 4; ++part)
            smooth_signal({turns.at(part), {frames}}, weights, REFLECT, {calm.at(part), {frames}});
        for (Index t = 0; t < frames; ++t) {
            if (!moved(t)) continue;
            const Quat turn = {calm(0, t) + 1.0, calm(1, t), calm(2, t), calm(3, t)};
            const double size = std::sqrt(square(turn.w) + square(turn.x) + square(turn.y) + square(turn.z));
            const Quat made =
                read_quaternion(was.at(t, k)) * Quat{turn.w / size, turn.x / size, turn.y / size, turn.z / size};
            write_quaternion(rotations.at(t, joints(k)), made);
        }
    }
}

// Turn the ends of limbs of T poses in place towards rotations (T, 4) in the world, by shares (T,).
static void approach_ends(const Limb& limb, Floats<2> ends, Floats<1> shares, FloatsOut<3> rotations,
                          FloatsOut<3> translations) {
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        if (shares(t) <= 1e-6) continue;
        const PoseView pose = {limb.parents, rotations.at(t), translations.at(t)};
        const Quat above = pose.world_of_parent(limb.end);
        const Quat now = above * pose.local(limb.end);
        pose.set(limb.end, conjugate(above) * slerp(now, read_quaternion(ends.at(t)), shares(t)));
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ArmRange, &kinesphere::ArmRange::nearest, &kinesphere::ArmRange::felt, &kinesphere::ArmRange::kept,
       &kinesphere::ArmRange::soft);

namespace kinesphere {

KERNELS(recorded_arms) {
    return {kernel<displace_hand>("displace_hand"),
            kernel<keep_in_reach>("keep_in_reach"),
            kernel<keep_off_shoulder>("keep_off_shoulder"),
            kernel<lower_elbow>("lower_elbow"),
            kernel<arm_turns>("arm_turns"),
            kernel<calm_turns>("calm_turns"),
            kernel<wrist_rays>("wrist_rays"),
            kernel<bring_wrists>("bring_wrists"),
            kernel<smooth_changes>("smooth_changes"),
            kernel<approach_ends>("approach_ends")};
}

}  // namespace kinesphere
