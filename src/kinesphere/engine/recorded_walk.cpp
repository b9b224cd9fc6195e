// Arms of a recorded walk that swing otherwise: raised, bent and taken across.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

// ArmAngles of recorded_walk.py: one number, or one a frame.
struct ArmAngles {
    Floats<1> ahead, out, bend, across;
};

double angle_at(Floats<1> angles, Index t) { return angles(angles.shape[0] == 1 ? 0 : t); }

// A vector turned about the body's left, and then about where it faces.
Vec3 raised(Vec3 v, double ahead, double out) {
    v = rotate(axis_angle_quaternion({1.0, 0.0, 0.0}, -ahead), v);
    return rotate(axis_angle_quaternion({0.0, 0.0, 1.0}, out), v);
}

}  // namespace

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

FIELDS(kinesphere::ArmAngles, &kinesphere::ArmAngles::ahead, &kinesphere::ArmAngles::out, &kinesphere::ArmAngles::bend,
       &kinesphere::ArmAngles::across);

namespace kinesphere {

KERNELS(recorded_walk) { return {kernel<swing_arm>("swing_arm")}; }

}  // namespace kinesphere
