// One pose of a skeleton that is changed in place: joints in the world, turned in the world; how far a limb stretches.
#pragma once

#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double STRAIGHT = 0.004;  // of a limb's length that a nearly straight one is shorter than a straight one

struct Placement {
    Quat rotation;
    Vec3 position;
};

// A pose that is changed in place: rotations (J, 4) and translations (J, 3) of one frame.
struct PoseView {
    Ints<1> parents;
    double* rotations;
    double* translations;

    Quat local(Index joint) const { return read_quaternion(rotations + 4 * joint); }

    Placement world(Index joint) const {
        Placement made = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (; joint >= 0; joint = parents(joint)) {
            const Quat turn = local(joint);
            made = {turn * made.rotation, read_vector(translations + 3 * joint) + rotate(turn, made.position)};
        }
        return made;
    }

    Quat world_of_parent(Index joint) const {
        return parents(joint) < 0 ? Quat{1.0, 0.0, 0.0, 0.0} : world(parents(joint)).rotation;
    }

    void set(Index joint, Quat q) const {
        const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        write_quaternion(rotations + 4 * joint, {q.w / size, q.x / size, q.y / size, q.z / size});
    }

    // Turn a joint by a rotation in the world.
    void turn(Index joint, Quat rotation) const {
        const Quat above = world_of_parent(joint);
        set(joint, conjugate(above) * rotation * above * local(joint));
    }
};

// The stretch of a limb that was `before` long and is asked to be `wanted` long. A bent limb is as long as asked; the
// straighter a limb, the less it changes: there a millimetre of stretch would be degrees of its hinge, and a pop.
inline double soften_stretch(double before, double wanted, double longest) {
    const double soft = STRAIGHT * longest, bent = longest - soft;
    const auto length = [&](double x) { return x <= bent ? x : longest - soft * std::exp((bent - x) / soft); };
    const double rest = most(longest - before, 1e-9 * longest);
    const double at = before <= bent ? before : bent - soft * std::log(rest / soft);
    return length(at + (wanted - before));
}

}  // namespace kinesphere
