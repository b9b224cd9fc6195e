// Damped least squares inverse kinematics: see damped_ik.py for what it computes.
#include <algorithm>

#include "maths/array.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Solve a symmetric, positive definite system by Cholesky's method, in place. The lower half of the matrix is read;
// `column` has room for one. What is left of the matrix is updated column by column, along its rows.
WIDE static void solve_positive(FloatsOut<2> matrix, FloatsOut<1> values, double* column) {
    const Index size = matrix.shape[0];
    for (Index j = 0; j < size; ++j) {
        const double pivot = std::sqrt(matrix(j, j));
        matrix(j, j) = pivot;
        values(j) /= pivot;
        for (Index i = j + 1; i < size; ++i) {
            double* row = matrix.at(i);
            column[i] = row[j] = row[j] / pivot;
            values(i) -= column[i] * values(j);
            for (Index k = j + 1; k <= i; ++k) row[k] -= column[i] * column[k];
        }
    }
    for (Index i = size - 1; i >= 0; --i) {
        values(i) /= matrix(i, i);
        for (Index k = 0; k < i; ++k) values(k) -= matrix(i, k) * values(i);
    }
}

// Add what a joint's rotation about all axes gives to the covariance of points that are `arms` away from it.
static void add_turns(FloatsOut<2> matrix, double turn, const std::vector<Index>& ends, const Vec3* arms) {
    const Index size = matrix.shape[1];
    for (std::size_t a = 0; a < ends.size(); ++a) {
        const Vec3 one = arms[a];
        for (std::size_t b = 0; b <= a; ++b) {
            const Vec3 other = arms[b];  // [one ×][other ×]ᵀ is (one · other) − other oneᵀ
            const double both = turn * dot(one, other);
            const double second[3] = {turn * other.x, turn * other.y, turn * other.z};
            double* part = matrix.at(3 * ends[a], 3 * ends[b]);
            for (Index i = 0; i < 3; ++i, part += size) {
                part[0] -= second[i] * one.x;
                part[1] -= second[i] * one.y;
                part[2] -= second[i] * one.z;
                part[i] += both;
            }
        }
    }
}

// The numbers k of points (P,) that each of so many rows is above, `own` ones included or not.
static std::vector<std::vector<Index>> points_below(Ints<1> parents, Ints<1> points, bool own) {
    std::vector<std::vector<Index>> found(parents.shape[0]);
    for (Index k = 0; k < points.shape[0]; ++k) {
        for (Index row = own ? points(k) : parents(points(k)); row >= 0; row = parents(row)) found[row].push_back(k);
    }
    return found;
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
    const auto ends = points_below(parents, points, false), carried = points_below(parents, points, true);
    Scratch<double, 2> matrix(size, size);
    Scratch<double, 1> force(size), column(size);
    std::vector<Vec3> arms(rows * count);
    for (Index t = 0; t < frames; ++t) {
        const double* error = errors.at(t);
        if (std::all_of(error, error + size, [](double e) { return e == 0.0; })) continue;
        std::copy(error, error + size, force.data);
        std::fill(matrix.data, matrix.data + matrix.size(), 0.0);
        for (Index k = 0; k < count; ++k) {
            for (Index axis = 0; axis < 3; ++axis) matrix(3 * k + axis, 3 * k + axis) = slack(k);
        }
        for (Index row = 0; row < rows; ++row) {
            if (moves(row) > 0.0) {
                for (const Index a : carried[row]) {
                    for (const Index b : carried[row]) {
                        for (Index axis = 0; axis < 3 && b <= a; ++axis)
                            matrix(3 * a + axis, 3 * b + axis) += moves(row);
                    }
                }
            }
            if (!(turns(row) > 0.0)) continue;
            Vec3* own = arms.data() + row * count;
            const Vec3 joint = read_vector(world_p.at(t, row));
            for (const Index k : ends[row]) *own++ = read_vector(world_p.at(t, points(k))) - joint;
            add_turns(matrix, turns(row), ends[row], arms.data() + row * count);
        }
        solve_positive(matrix, force, column.data);
        for (Index row = 0; row < rows; ++row) {
            const Quat back =
                parents(row) < 0 ? Quat{1.0, 0.0, 0.0, 0.0} : conjugate(read_quaternion(world_q.at(t, parents(row))));
            if (turns(row) > 0.0) {
                Vec3 turn = {0.0, 0.0, 0.0};
                const Vec3* own = arms.data() + row * count;
                for (const Index k : ends[row]) turn = turn + cross(*own++, read_vector(force.data + 3 * k));
                turn = rotate(back, turns(row) * turn);
                double* local = rotations.at(t, joints(row));
                write_quaternion(local, exponential_quaternion(turn) * read_quaternion(local));
            }
            if (moves(row) > 0.0) {
                Vec3 step = {0.0, 0.0, 0.0};
                for (const Index k : carried[row]) step = step + read_vector(force.data + 3 * k);
                double* place = translations.at(t, joints(row));
                write_vector(place, read_vector(place) + rotate(back, moves(row) * step));
            }
        }
    }
}

// Write how much points (P,) move along each axis, in mean squares, if joints change by independent variances.
static void expected_variance(Floats<3> positions, Ints<1> parents, Ints<1> points, Floats<1> turns, Floats<1> moves,
                              FloatsOut<1> found) {
    const double frames = static_cast<double>(positions.shape[0]);
    for (Index k = 0; k < points.shape[0]; ++k) {
        found(k) = moves(points(k));
        for (Index row = parents(points(k)); row >= 0; row = parents(row)) {
            double sum = 0.0;
            for (Index t = 0; t < positions.shape[0]; ++t) {
                const Vec3 arm = read_vector(positions.at(t, points(k))) - read_vector(positions.at(t, row));
                sum += dot(arm, arm);
            }
            found(k) += moves(row) + turns(row) * (2.0 / 3.0) * (sum / frames);
        }
    }
}

// Write the mean squares about and along each axis of how rotations (T, J, 4) and translations (T, J, 3) of some joints
// changed; exactly zero for those that did not.
static void mean_changes(Floats<3> q, Floats<3> p, Floats<3> new_q, Floats<3> new_p, Ints<1> joints, FloatsOut<1> turns,
                         FloatsOut<1> moves) {
    const double numbers = 3.0 * static_cast<double>(q.shape[0]);
    for (Index k = 0; k < joints.shape[0]; ++k) {
        const Index joint = joints(k);
        double turned = 0.0, moved = 0.0;
        for (Index t = 0; t < q.shape[0]; ++t) {
            const double *was = q.at(t, joint), *now = new_q.at(t, joint);
            if (!std::equal(was, was + 4, now)) {
                const Quat step = conjugate(read_quaternion(was)) * read_quaternion(now);
                const double sine = std::sqrt(step.x * step.x + step.y * step.y + step.z * step.z);
                turned += square(2.0 * std::atan2(sine, std::abs(step.w)));
            }
            const Vec3 way = read_vector(new_p.at(t, joint)) - read_vector(p.at(t, joint));
            moved += dot(way, way);
        }
        turns(k) = turned / numbers;
        moves(k) = moved / numbers;
    }
}

KERNELS(damped_ik) {
    return {
        kernel<step_points>("step_points"),
        kernel<expected_variance>("expected_variance"),
        kernel<mean_changes>("mean_changes"),
    };
}

}  // namespace kinesphere
