// One pose of a skeleton that is changed in place: joints in the world, turned in the world.
#pragma once

#include "maths/rotations.hpp"

namespace kinesphere {

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

    // The same of a joint below another one, whose place is known.
    Placement world_below(Index ancestor, const Placement& above, Index joint) const {
        Placement made = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (; joint != ancestor; joint = parents(joint)) {
            const Quat turn = local(joint);
            made = {turn * made.rotation, read_vector(translations + 3 * joint) + rotate(turn, made.position)};
        }
        return {above.rotation * made.rotation, above.position + rotate(above.rotation, made.position)};
    }

    // How a joint is turned in the world.
    Quat turned(Index joint) const { return world_of_parent(joint) * local(joint); }

    // How the parent of a joint is turned in the world; likewise where it is below a joint that is turned so.
    Quat world_of_parent(Index joint, Index ancestor = -1, Quat above = {1.0, 0.0, 0.0, 0.0}) const {
        Quat made = {1.0, 0.0, 0.0, 0.0};
        for (joint = parents(joint); joint != ancestor && joint >= 0; joint = parents(joint)) {
            made = local(joint) * made;
        }
        return joint < 0 ? made : above * made;
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

}  // namespace kinesphere
