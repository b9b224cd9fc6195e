// Loops over skeletons: forward kinematics and its inverse. Every parent comes before its children.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// World rotations (T, K, 4) and positions (T, K, 3) of joints (K,) of (T, J, 4) and (T, J, 3). `parents (K,)` are
// indices of `joints`, or -1.
WIDE static void forward(Floats<3> q, Floats<3> t, Ints<1> joints, Ints<1> parents, FloatsOut<3> world_q,
                         FloatsOut<3> world_t) {
    for (Index f = 0; f < t.shape[0]; ++f) {
        const double *own_q = q.at(f), *own_t = t.at(f);
        double *made_q = world_q.at(f), *made_t = world_t.at(f);
        for (Index k = 0; k < joints.shape[0]; ++k) {
            const Index j = joints(k), p = parents(k);
            Quat rotation = read_quaternion(own_q + 4 * j);
            Vec3 position = read_vector(own_t + 3 * j);
            if (p >= 0) {
                const Quat above = read_quaternion(made_q + 4 * p);
                rotation = above * rotation;
                position = rotate(above, position) + read_vector(made_t + 3 * p);
            }
            write_quaternion(made_q + 4 * k, rotation);
            write_vector(made_t + 3 * k, position);
        }
    }
}

// As `forward` of all joints, but world rotations stay in a scratch array of one frame.
WIDE static void forward_positions(Floats<3> q, Floats<3> t, Ints<1> parents, FloatsOut<3> world_t) {
    Scratch<double, 2> world_q(t.shape[1], 4);
    for (Index f = 0; f < t.shape[0]; ++f) {
        const double *own_q = q.at(f), *own_t = t.at(f);
        double* made_t = world_t.at(f);
        for (Index j = 0; j < t.shape[1]; ++j) {
            const Index p = parents(j);
            Quat rotation = read_quaternion(own_q + 4 * j);
            Vec3 position = read_vector(own_t + 3 * j);
            if (p >= 0) {
                const Quat above = read_quaternion(world_q.at(p));
                rotation = above * rotation;
                position = rotate(above, position) + read_vector(made_t + 3 * p);
            }
            write_quaternion(world_q.at(j), rotation);
            write_vector(made_t + 3 * j, position);
        }
    }
}

// Local rotations and translations of (T, J, 4) and (T, J, 3) world ones.
WIDE static void inverse(Floats<3> world_q, Floats<3> world_t, Ints<1> parents, FloatsOut<3> q, FloatsOut<3> t) {
    for (Index f = 0; f < world_t.shape[0]; ++f) {
        const double *given_q = world_q.at(f), *given_t = world_t.at(f);
        double *made_q = q.at(f), *made_t = t.at(f);
        for (Index j = 0; j < world_t.shape[1]; ++j) {
            const Index p = parents(j);
            Quat rotation = read_quaternion(given_q + 4 * j);
            Vec3 position = read_vector(given_t + 3 * j);
            if (p >= 0) {
                const Quat undo = conjugate(read_quaternion(given_q + 4 * p));
                rotation = undo * rotation;
                position = rotate(undo, position - read_vector(given_t + 3 * p));
            }
            write_quaternion(made_q + 4 * j, rotation);
            write_vector(made_t + 3 * j, position);
        }
    }
}

// World rotations (T, J, 4) of joints that are not known: rest rotations on their parents, in place.
WIDE static void complete_rotations(FloatsOut<3> world_q, Bools<1> known, Floats<2> rest, Ints<1> parents) {
    for (Index f = 0; f < world_q.shape[0]; ++f) {
        double* frame = world_q.at(f);
        for (Index j = 0; j < world_q.shape[1]; ++j) {
            if (known(j)) continue;
            const Index p = parents(j);
            const Quat own = read_quaternion(rest.at(j));
            write_quaternion(frame + 4 * j, p >= 0 ? read_quaternion(frame + 4 * p) * own : own);
        }
    }
}

// World positions (T, J, 3) of joints with these world rotations (T, J, 4) and offsets (J, 3).
WIDE static void place_joints(Floats<3> world_q, Floats<2> offsets, Ints<1> parents, FloatsOut<3> world_t) {
    for (Index f = 0; f < world_q.shape[0]; ++f) {
        const double* given_q = world_q.at(f);
        double* made_t = world_t.at(f);
        for (Index j = 0; j < world_q.shape[1]; ++j) {
            const Index p = parents(j);
            Vec3 position = read_vector(offsets.at(j));
            if (p >= 0) position = rotate(read_quaternion(given_q + 4 * p), position) + read_vector(made_t + 3 * p);
            write_vector(made_t + 3 * j, position);
        }
    }
}

KERNELS(kinematics) {
    return {
        kernel<forward>("forward"),           kernel<forward_positions>("forward_positions"),
        kernel<inverse>("inverse"),           kernel<complete_rotations>("complete_rotations"),
        kernel<place_joints>("place_joints"),
    };
}

}  // namespace kinesphere
