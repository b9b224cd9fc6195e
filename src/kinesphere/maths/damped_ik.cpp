// Damped least squares inverse kinematics: see damped_ik.py for what it computes.
#include <algorithm>

#include "maths/array.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Solve a symmetric, positive definite system by Cholesky's method, in place. The lower half of the matrix is read.
static void solve_positive(FloatsOut<2> matrix, FloatsOut<1> values) {
    const Index size = matrix.shape[0];
    for (Index i = 0; i < size; ++i) {
        double* row = matrix.at(i);
        for (Index j = 0; j <= i; ++j) {
            const double* other = matrix.at(j);
            double sum = row[j];
            for (Index k = 0; k < j; ++k) sum -= row[k] * other[k];
            row[j] = j < i ? sum / other[j] : std::sqrt(sum);
        }
        double sum = values(i);
        for (Index k = 0; k < i; ++k) sum -= row[k] * values(k);
        values(i) = sum / row[i];
    }
    for (Index i = size - 1; i >= 0; --i) {
        values(i) /= matrix(i, i);
        for (Index k = 0; k < i; ++k) values(k) -= matrix(i, k) * values(i);
    }
}

// Move points towards their targets by a step: rotations (T, J, 4) and translations (T, J, 3) are changed in place.
//
// `world_q (T, K, 4)` and `world_p (T, K, 3)` are the world poses of `joints (K,)`, `parents (K,)` are rows of these;
// `points (P,)` are the rows of joints whose positions count, and errors (T, P, 3) are how far they are to go. A
// joint's rotation and translation may change by the variances `turns (K,)` and `moves (K,)`, points are missed by
// `slack (P,)`.
static void step_points(Floats<3> world_q, Floats<3> world_p, Ints<1> joints, Ints<1> parents, Ints<1> points,
                        Floats<3> errors, Floats<1> turns, Floats<1> moves, Floats<1> slack, FloatsOut<3> rotations,
                        FloatsOut<3> translations) {
    const Index frames = world_q.shape[0], rows = joints.shape[0], count = points.shape[0], size = 3 * count;
    Scratch<bool, 2> above(rows, count);  // whether a joint is an ancestor of a point's joint
    for (Index k = 0; k < count; ++k) {
        for (Index row = parents(points(k)); row >= 0; row = parents(row)) above(row, k) = true;
    }
    Scratch<double, 2> matrix(size, size);
    Scratch<double, 1> force(size);
    const auto arm = [&](Index t, Index row, Index k) {
        return read_vector(world_p.at(t, points(k))) - read_vector(world_p.at(t, row));
    };
    for (Index t = 0; t < frames; ++t) {
        const double* error = errors.at(t);
        if (std::all_of(error, error + size, [](double e) { return e == 0.0; })) continue;
        std::copy(error, error + size, force.data);
        std::fill(matrix.data, matrix.data + matrix.size(), 0.0);
        for (Index k = 0; k < count; ++k) {
            for (Index axis = 0; axis < 3; ++axis) matrix(3 * k + axis, 3 * k + axis) = slack(k);
        }
        for (Index row = 0; row < rows; ++row) {
            for (Index a = 0; a < count; ++a) {
                if (moves(row) > 0.0 && (above(row, a) || points(a) == row)) {
                    for (Index b = 0; b <= a; ++b) {
                        if (!above(row, b) && points(b) != row) continue;
                        for (Index axis = 0; axis < 3; ++axis) matrix(3 * a + axis, 3 * b + axis) += moves(row);
                    }
                }
                if (!(turns(row) > 0.0) || !above(row, a)) continue;
                const Vec3 one = arm(t, row, a);
                for (Index b = 0; b <= a; ++b) {
                    if (!above(row, b)) continue;
                    const Vec3 other = arm(t, row, b);  // [one ×][other ×]ᵀ is (one · other) − other oneᵀ
                    const double both = turns(row) * dot(one, other);
                    const double first[3] = {one.x, one.y, one.z}, second[3] = {other.x, other.y, other.z};
                    for (Index i = 0; i < 3; ++i) {
                        double* part = matrix.at(3 * a + i, 3 * b);
                        for (Index j = 0; j < 3; ++j) part[j] -= turns(row) * second[i] * first[j];
                        part[i] += both;
                    }
                }
            }
        }
        solve_positive(matrix, force);
        for (Index row = 0; row < rows; ++row) {
            Vec3 turn = {0.0, 0.0, 0.0}, step = {0.0, 0.0, 0.0};
            for (Index k = 0; k < count; ++k) {
                const Vec3 pull = read_vector(force.data + 3 * k);
                if (above(row, k)) turn = turn + cross(arm(t, row, k), pull);
                if (above(row, k) || points(k) == row) step = step + pull;
            }
            turn = turns(row) * turn;
            step = moves(row) * step;
            if (parents(row) >= 0) {
                const Quat back = conjugate(read_quaternion(world_q.at(t, parents(row))));
                turn = rotate(back, turn);
                step = rotate(back, step);
            }
            double* local = rotations.at(t, joints(row));
            double* place = translations.at(t, joints(row));
            if (turns(row) > 0.0) write_quaternion(local, exponential_quaternion(turn) * read_quaternion(local));
            if (moves(row) > 0.0) write_vector(place, read_vector(place) + step);
        }
    }
}

KERNELS(damped_ik) { return {kernel<step_points>("step_points")}; }

}  // namespace kinesphere
