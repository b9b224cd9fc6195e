// A recorded walk, walked differently: feet that stand elsewhere, arms that swing otherwise.
#include "maths/binding.hpp"
#include "maths/easing.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double PI = 3.141592653589793;

namespace {

// ArmAngles of recorded_walk.py: one number, or one a frame.
struct ArmAngles {
    Floats<1> ahead, out, bend, across;
};

// Swings of recorded_walk.py.
struct Swings {
    Ints<1> firsts, lasts;  // (S,) frames of each stance
    double leaves, shortest, longest;
};

double angle_at(Floats<1> angles, Index t) { return angles(angles.shape[0] == 1 ? 0 : t); }

// A vector turned about the body's left, and then about where it faces.
Vec3 raised(Vec3 v, double ahead, double out) {
    v = rotate(axis_angle_quaternion({1.0, 0.0, 0.0}, -ahead), v);
    return rotate(axis_angle_quaternion({0.0, 0.0, 1.0}, out), v);
}

}  // namespace

// Displacements (T, 3) of a foot that are constant in each stance, and go over from one to the next between, as `moved`
// (T, 3) would have them. In swings the foot is lifted by `lift` (T,), or lowered as far as there is `room` (T,).
static void plant(const Swings& swings, Floats<2> moved, Floats<1> lift, Floats<1> room, FloatsOut<2> out) {
    const Index frames = out.shape[0], last = swings.firsts.shape[0] - 1;
    const auto at = [&](Index t) { return read_vector(moved.at(t)); };
    const auto place = [&](Index s) { return at((swings.firsts(s) + swings.lasts(s)) / 2); };
    const auto gate = [&](Index count) { return smoothstep(static_cast<double>(count) / swings.leaves); };
    for (Index s = 0; s <= last; ++s)
        for (Index t = swings.firsts(s); t <= swings.lasts(s); ++t) write_vector(out.at(t), place(s));
    // A foot in the air goes with the body, at whose speed it does not begin but within a short time.
    Vec3 gone = {0.0, 0.0, 0.0};
    for (Index t = swings.firsts(0) - 1; t >= 0; --t) {
        gone = gone + gate(swings.firsts(0) - t) * (at(t) - at(t + 1));
        write_vector(out.at(t), place(0) + gone);
    }
    gone = {0.0, 0.0, 0.0};
    for (Index t = swings.lasts(last) + 1; t < frames; ++t) {
        gone = gone + gate(t - swings.lasts(last)) * (at(t) - at(t - 1));
        write_vector(out.at(t), place(last) + gone);
    }
    for (Index s = 0; s < last; ++s) {
        const Index from = swings.lasts(s), to = swings.firsts(s + 1), count = to - from;
        const bool stands = static_cast<double>(count) > swings.longest;
        const auto goes = [&](Index t) {  // with the body, from rest to rest
            return gate(least(t - from, to - t + 1)) * (at(t) - at(t - 1));
        };
        Vec3 left = place(s + 1) - place(s);
        gone = {0.0, 0.0, 0.0};
        for (Index t = from + 1; stands && t <= to; ++t) left = left - goes(t);
        for (Index t = from + 1; t < to; ++t) {
            if (stands) gone = gone + goes(t);
            const double share = static_cast<double>(t - from) / static_cast<double>(count);
            Vec3 made = place(s) + gone + smootherstep(share) * left;
            if (!stands && static_cast<double>(count) > swings.shortest) {
                const double higher = lift(t) * square(std::sin(PI * share));
                made.y += most(higher, 0.0) - room(t) * std::tanh(most(-higher, 0.0) / room(t));
            }
            write_vector(out.at(t), made);
        }
    }
}

// Write by how much wrists (T, 3) of an arm on a side are elsewhere that swings, as far as it walks (T,). `away` (T, 3)
// is what the swing itself adds; `elbows` (T, 3) are its elbows, or there are none and it does not bend.
static void swing_arm(Floats<2> wrists, Floats<2> away, Floats<2> elbows, const ArmAngles& angles, double side,
                      Floats<1> walking, FloatsOut<2> out) {
    for (Index t = 0; t < out.shape[0]; ++t) {
        write_vector(out.at(t), {0.0, 0.0, 0.0});
        if (walking(t) == 0.0) continue;
        const double ahead = angle_at(angles.ahead, t), aside = side * angle_at(angles.out, t);
        const Vec3 wrist = read_vector(wrists.at(t));
        Vec3 place = raised(wrist + read_vector(away.at(t)), ahead, aside);
        if (elbows.shape[0] > 0) {
            const Vec3 elbow = raised(read_vector(elbows.at(t)), ahead, aside);
            const Vec3 bent = rotate(axis_angle_quaternion({1.0, 0.0, 0.0}, -angle_at(angles.bend, t)), place - elbow);
            place = elbow + rotate(axis_angle_quaternion({0.0, 1.0, 0.0}, -side * angle_at(angles.across, t)), bent);
        }
        write_vector(out.at(t), walking(t) * (place - wrist));
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::Swings, &kinesphere::Swings::firsts, &kinesphere::Swings::lasts, &kinesphere::Swings::leaves,
       &kinesphere::Swings::shortest, &kinesphere::Swings::longest);
FIELDS(kinesphere::ArmAngles, &kinesphere::ArmAngles::ahead, &kinesphere::ArmAngles::out, &kinesphere::ArmAngles::bend,
       &kinesphere::ArmAngles::across);

namespace kinesphere {

KERNELS(recorded_walk) { return {kernel<plant>("plant"), kernel<swing_arm>("swing_arm")}; }

}  // namespace kinesphere
