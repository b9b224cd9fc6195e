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

// As `forward` of all joints, but world rotations are not written. A joint waits for its parent, a frame for no other:
// four frames at a time, the inner loops become vector instructions.
WIDE static void forward_positions(Floats<3> q, Floats<3> t, Ints<1> parents, FloatsOut<3> world_t) {
    constexpr int FOUR = 4;
    struct Rotations {
        double w[FOUR], x[FOUR], y[FOUR], z[FOUR];
    };
    struct Positions {
        double x[FOUR], y[FOUR], z[FOUR];
    };
    const Index frames = t.shape[0], joints = t.shape[1];
    std::vector<Rotations> rotations(static_cast<std::size_t>(joints));
    std::vector<Positions> positions(static_cast<std::size_t>(joints));
    for (Index f = 0; f < frames; f += FOUR) {
        const Index count = least(frames - f, Index{FOUR});
        for (Index j = 0; j < joints; ++j) {
            Rotations own;
            Positions offset;
            for (int i = 0; i < FOUR; ++i) {
                const Index frame =
                    f + (i < count ? i : count - 1);  // the last stands for those that there are none of
                const double *from = q.data + (frame * joints + j) * 4, *at = t.data + (frame * joints + j) * 3;
                own.w[i] = from[0], own.x[i] = from[1], own.y[i] = from[2], own.z[i] = from[3];
                offset.x[i] = at[0], offset.y[i] = at[1], offset.z[i] = at[2];
            }
            Rotations& rotation = rotations[j];
            Positions& position = positions[j];
            if (parents(j) >= 0) {
                const Rotations& above = rotations[parents(j)];
                const Positions& start = positions[parents(j)];
                for (int i = 0; i < FOUR; ++i) {
                    const Quat parent = {above.w[i], above.x[i], above.y[i], above.z[i]};
                    const Vec3 moved = rotate(parent, {offset.x[i], offset.y[i], offset.z[i]});
                    const Quat made = parent * Quat{own.w[i], own.x[i], own.y[i], own.z[i]};
                    position.x[i] = moved.x + start.x[i], position.y[i] = moved.y + start.y[i];
                    position.z[i] = moved.z + start.z[i];
                    rotation.w[i] = made.w, rotation.x[i] = made.x, rotation.y[i] = made.y, rotation.z[i] = made.z;
                }
            } else {
                rotation = own;
                position = offset;
            }
            for (int i = 0; i < count; ++i) {
                double* out = world_t.data + ((f + i) * joints + j) * 3;
                out[0] = position.x[i], out[1] = position.y[i], out[2] = position.z[i];
            }
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
