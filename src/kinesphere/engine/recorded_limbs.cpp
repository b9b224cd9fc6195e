// Poses of a recording, changed: trunk and hips turned by channels, limbs brought to where their ends are wanted.
#include "engine/recorded_limbs.hpp"

#include <algorithm>

#include "maths/binding.hpp"

namespace kinesphere {

constexpr double OPPOSITE[] = {0.5, 0.2};  // cosines of half the angle, 120° and 157°, over which a joint is let be

namespace {

// TrunkJoints of recorded_limbs.py.
struct TrunkJoints {
    Ints<1> parents;   // (J,)
    Ints<1> joints;    // (K,) that are turned in their own axes
    Floats<2> frames;  // (K, 4) from a joint's own axes to the body's
    Index hips;
    Floats<1> hips_frame;  // (4,)
    Index chest;
    Ints<1> arms;  // (A,) upper arms: they keep their rotation in the chest
};

PoseView view(Ints<1> parents, FloatsOut<3> rotations, FloatsOut<3> translations, Index t) {
    return {parents, rotations.at(t), translations.at(t)};
}

}  // namespace

// Write what channels (C, T) make of coefficients (C, K): (T, K). Channels that are zero throughout take no time.
WIDE static void mix_channels(Floats<2> channels, Floats<2> coefficients, FloatsOut<2> out) {
    const Index frames = out.shape[0], columns = out.shape[1];
    std::fill(out.data, out.data + out.size(), 0.0);
    for (Index c = 0; c < channels.shape[0]; ++c) {
        const double *values = channels.at(c), *shares = coefficients.at(c);
        if (std::all_of(values, values + frames, [](double value) { return value == 0.0; })) continue;
        for (Index t = 0; t < frames; ++t)
            for (Index k = 0; k < columns; ++k) out.at(t)[k] += values[t] * shares[k];
    }
}

// Turn the trunk of T poses in place: joints by rotation vectors (T, K, 3) in the body's axes as the joint has them;
// the hips by vectors (T, 3) about the axes of their heading, and moved by (T, 3) along these.
static void turn_trunk(const TrunkJoints& trunk, Floats<3> vectors, Floats<2> hips, Floats<2> shift,
                       FloatsOut<3> rotations, FloatsOut<3> translations) {
    std::vector<Quat> arms(static_cast<std::size_t>(trunk.arms.shape[0]));
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        const PoseView pose = view(trunk.parents, rotations, translations, t);
        const Quat chest = conjugate(pose.turned(trunk.chest));
        for (Index a = 0; a < trunk.arms.shape[0]; ++a)
            arms[static_cast<std::size_t>(a)] = chest * pose.turned(trunk.arms(a));
        for (Index k = 0; k < trunk.joints.shape[0]; ++k) {
            const Quat frame = read_quaternion(trunk.frames.at(k));
            const Vec3 own = rotate(frame, read_vector(vectors.at(t, k)));
            pose.set(trunk.joints(k), pose.local(trunk.joints(k)) * exponential_quaternion(own));
        }
        const Quat facing = pose.turned(trunk.hips) * read_quaternion(trunk.hips_frame.data);
        const Vec3 ahead = rotate(facing, {0.0, 0.0, 1.0});
        const Quat heading = axis_angle_quaternion({0.0, 1.0, 0.0}, std::atan2(ahead.x, ahead.z));
        pose.turn(trunk.hips, exponential_quaternion(rotate(heading, read_vector(hips.at(t)))));
        const Vec3 by = rotate(heading, read_vector(shift.at(t)));
        double* at = translations.at(t, trunk.hips);
        write_vector(at, read_vector(at) + rotate(conjugate(pose.world_of_parent(trunk.hips)), by));
        const Quat turned = pose.turned(trunk.chest);
        for (Index a = 0; a < trunk.arms.shape[0]; ++a) {
            const Index arm = trunk.arms(a);
            pose.set(arm, conjugate(pose.world_of_parent(arm)) * turned * arms[static_cast<std::size_t>(a)]);
        }
    }
}

// Bring the ends of a limb in T poses towards targets (T, 3) in the world, in place, by shares (T,) of the way: its
// hinge opens or closes, it turns about its upper joint, then by an angle (T,) about the line to its end. Write how far
// from there ends are (T,), and then, where a flag is set, turn the end as it is wanted (T, 4) in the world. Parents of
// upper joints are turned and placed so (T, 7), or (T, 0).
static void place_limb(const Limb& limb, Floats<2> targets, Floats<1> swivels, Floats<1> shares, Floats<2> ends,
                       Bools<1> turned, Floats<2> above, FloatsOut<3> rotations, FloatsOut<3> translations,
                       FloatsOut<1> missed) {
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        missed(t) = 0.0;
        if (shares(t) <= 0.0 && !turned(t)) continue;
        const PoseView pose = view(limb.parents, rotations, translations, t);
        if (shares(t) > 0.0) {
            const Placement upper = upper_joint(limb, pose, above, t);
            const Placement lower = pose.world_below(limb.upper, upper, limb.lower);
            const Vec3 second = pose.world_below(limb.lower, lower, limb.end).position - lower.position;
            const Vec3 first = lower.position - upper.position,
                       own = rotate(upper.rotation, read_vector(limb.hinge.data));
            const Bones bones(first, second, own);
            const Vec3 ray = first + second, whole = read_vector(targets.at(t)) - upper.position;
            const double stretch = norm(ray);
            const Vec3 way = shares(t) < 1.0 ? ray + shares(t) * (whole - ray) : whole;
            if (bones.upper < 1e-9 || bones.lower < 1e-9 || norm(way) < 1e-9 || stretch < 1e-9) continue;
            const double longest = bones.upper + bones.lower;
            const double far = most(reach(stretch, norm(way), longest, limb.soft), bones.shortest());
            const Quat bend = rotation_between_units(bones.below, bones.bent(far));
            const Vec3 reached = first + rotate(bend, second);
            Quat swing = rotation_between_units(reached / norm(reached), way / norm(way));
            if (swivels(t) != 0.0) swing = axis_angle_quaternion(way / norm(way), swivels(t)) * swing;
            const Quat above_upper = upper.rotation * conjugate(pose.local(limb.upper));
            const Quat above_lower = lower.rotation * conjugate(pose.local(limb.lower));
            pose.set(limb.lower, conjugate(above_lower) * bend * lower.rotation);
            pose.set(limb.upper, conjugate(above_upper) * swing * upper.rotation);
            missed(t) = norm(rotate(swing, reached) - way);
        }
        if (turned(t)) pose.set(limb.end, conjugate(pose.world_of_parent(limb.end)) * read_quaternion(ends.at(t)));
    }
}

// Turn joints of T poses in place by rotation vectors (T, K, 3) in axes (K, 4) of the joints' own.
static void turn_joints(Ints<1> joints, Floats<2> frames, Floats<3> vectors, FloatsOut<3> rotations) {
    for (Index t = 0; t < rotations.shape[0]; ++t)
        for (Index k = 0; k < joints.shape[0]; ++k) {
            const Vec3 own = rotate(read_quaternion(frames.at(k)), read_vector(vectors.at(t, k)));
            double* at = rotations.at(t, joints(k));
            const Quat q = read_quaternion(at) * exponential_quaternion(own);
            const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
            write_quaternion(at, {q.w / size, q.x / size, q.y / size, q.z / size});
        }
}

// Bring joints (K,) of T poses towards rotations (T or 1, K, 4) along the shorter arc, in place, by shares (T,). What
// is nearly opposite stays where it is: which arc is the shorter one changes there from frame to frame.
static void approach_rotations(Ints<1> joints, Floats<3> wanted, Floats<1> shares, FloatsOut<3> rotations) {
    const bool same = wanted.shape[0] == 1;
    for (Index t = 0; t < rotations.shape[0]; ++t) {
        if (shares(t) == 0.0) continue;
        for (Index k = 0; k < joints.shape[0]; ++k) {
            double* at = rotations.at(t, joints(k));
            const Quat from = read_quaternion(at), aim = read_quaternion(wanted.at(same ? 0 : t, k));
            const Quat way = conjugate(from) * aim;
            const double near = 1.0 - smoothstep((OPPOSITE[0] - std::abs(way.w)) / (OPPOSITE[0] - OPPOSITE[1]));
            write_quaternion(at, from * part_of(way, near * shares(t)));
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::TrunkJoints, &kinesphere::TrunkJoints::parents, &kinesphere::TrunkJoints::joints,
       &kinesphere::TrunkJoints::frames, &kinesphere::TrunkJoints::hips, &kinesphere::TrunkJoints::hips_frame,
       &kinesphere::TrunkJoints::chest, &kinesphere::TrunkJoints::arms);

namespace kinesphere {

KERNELS(recorded_limbs) {
    return {kernel<mix_channels>("mix_channels"), kernel<turn_trunk>("turn_trunk"), kernel<place_limb>("place_limb"),
            kernel<turn_joints>("turn_joints"), kernel<approach_rotations>("approach_rotations")};
}

}  // namespace kinesphere
