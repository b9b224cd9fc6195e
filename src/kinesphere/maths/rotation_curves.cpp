// Loops over rotations in time: rotation vectors from a centre, without jumps, and back.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double WHOLE_ROUND = 6.283185307179586;  // 2 π

// Rotation vectors (T, J, 3) of rotations (T, J, 4) from (J, 4), nearest to the frame before.
static void to_rotation_curves(Floats<3> quaternions, Floats<2> about, FloatsOut<3> out) {
    for (Index j = 0; j < quaternions.shape[1]; ++j) {
        const Quat centre = conjugate(read_quaternion(about.at(j)));
        Vec3 before = {0.0, 0.0, 0.0};
        for (Index i = 0; i < quaternions.shape[0]; ++i) {
            Quat q = centre * read_quaternion(quaternions.at(i, j));
            if (q.w < 0.0) q = -q;
            Vec3 axis = {q.x, q.y, q.z};
            const double sine = norm(axis);
            double size = 2.0 * std::atan2(sine, q.w);
            axis = size > 1e-9 ? axis / sine : before / most(norm(before), 1e-12);
            if (i > 0) size += WHOLE_ROUND * std::nearbyint((dot(before, axis) - size) / WHOLE_ROUND);
            before = size * axis;
            write_vector(out.at(i, j), before);
        }
    }
}

// Rotations (T, J, 4) of vectors (T, J, 3) from (J, 4), each in the hemisphere of the frame before.
static void from_rotation_curves(Floats<3> vectors, Floats<2> about, FloatsOut<3> out) {
    for (Index i = 0; i < vectors.shape[0]; ++i) {
        for (Index j = 0; j < vectors.shape[1]; ++j) {
            Quat q = read_quaternion(about.at(j)) * exponential_quaternion(read_vector(vectors.at(i, j)));
            if (i > 0) {
                const Quat before = read_quaternion(out.at(i - 1, j));
                if (q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z < 0.0) q = -q;
            }
            write_quaternion(out.at(i, j), q);
        }
    }
}

KERNELS(rotation_curves) {
    return {
        kernel<to_rotation_curves>("to_rotation_curves"),
        kernel<from_rotation_curves>("from_rotation_curves"),
    };
}

}  // namespace kinesphere
