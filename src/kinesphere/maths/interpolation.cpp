// Loops along time: resampling of vectors and rotations at fractional frames, Catmull–Rom rows of a table.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// What the mean of two steps is multiplied by, so that it is at most three times the shorter one; from the squared
// lengths of both and of their mean.
static double limit_mean(double before, double after, double mean) {
    return least(1.0, 3.0 * std::sqrt(least(before, after)) / most(std::sqrt(mean), 1e-300));
}

// The mean of two steps, at most three times the shorter one.
static Vec3 limited_mean(Vec3 a, Vec3 b) {
    const Vec3 mean = 0.5 * (a + b);
    return limit_mean(dot(a, a), dot(b, b), dot(mean, mean)) * mean;
}

// A cubic from zero to `rise` with the velocities `left` and `right`, at share `u`.
static double hermite_rise(double rise, double left, double right, double u) {
    return u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise)));
}

// The derivative of a rotation vector while the body rotates at a rate in its own frame.
static Vec3 inverse_right_jacobian(Vec3 vector, Vec3 rate) {
    const double squared = dot(vector, vector);
    double factor;
    if (squared < 0.0625) {  // a series, to the last bit: from frame to frame hardly anything turns farther
        factor =
            1.0 / 12.0 +
            squared * (1.0 / 720.0 + squared * (1.0 / 30240.0 + squared * (1.0 / 1209600.0 + squared / 47900160.0)));
    } else {
        const double angle = std::sqrt(squared);
        factor = (1.0 - 0.5 * angle / std::tan(0.5 * least(angle, 3.1))) / squared;
    }
    const Vec3 across = cross(vector, rate);
    return rate + 0.5 * across + factor * cross(vector, across);
}

// Rotation vectors (T − 1, J, 3) along the shorter arc from each of (T, J, 4) to the next.
static void rotation_steps(Floats<3> quaternions, FloatsOut<3> out) {
    for (Index i = 0; i < out.shape[0]; ++i) {
        for (Index j = 0; j < out.shape[1]; ++j) {
            Quat step = conjugate(read_quaternion(quaternions.at(i, j))) * read_quaternion(quaternions.at(i + 1, j));
            if (step.w < 0.0) step = -step;
            const Vec3 axis = {step.x, step.y, step.z};
            const double sine = norm(axis);
            const double factor = sine > 1e-12 ? 2.0 * std::atan2(sine, step.w) / sine : 2.0;
            write_vector(out.at(i, j), factor * axis);
        }
    }
}

// A rotation vector from a frame to the next, and its derivatives at both ends: those of the neighbouring frames. In a
// table (T − 1, J, 3, 3) they are rows.
struct RotationCubic {
    Vec3 step, leaving, arriving;

    RotationCubic(Floats<3> steps, Index i, Index j) : step(read_vector(steps.at(i, j))) {
        const Index last = steps.shape[0] - 1;
        leaving = i > 0 ? limited_mean(read_vector(steps.at(i - 1, j)), step) : step;
        const Vec3 next = i < last ? limited_mean(step, read_vector(steps.at(i + 1, j))) : step;
        arriving = inverse_right_jacobian(step, next);
    }

    explicit RotationCubic(const double* row)
        : step(read_vector(row)), leaving(read_vector(row + 3)), arriving(read_vector(row + 6)) {}

    // The rotation at a share of the way, after that of the frame before.
    Quat at(double u) const {
        return exponential_quaternion({hermite_rise(step.x, leaving.x, arriving.x, u),
                                       hermite_rise(step.y, leaving.y, arriving.y, u),
                                       hermite_rise(step.z, leaving.z, arriving.z, u)});
    }
};

// Rotations (N, J, 4) past frames `at` by shares (N,) of the steps (T − 1, J, 3).
static void resample_rotations(Floats<3> quaternions, Floats<3> steps, Ints<1> at, Floats<1> share, bool smooth,
                               FloatsOut<3> out) {
    for (Index n = 0; n < at.shape[0]; ++n) {
        const Index i = at(n);
        const double u = share(n);
        for (Index j = 0; j < quaternions.shape[1]; ++j) {
            const Quat turned = smooth && u > 0.0 ? RotationCubic(steps, i, j).at(u)
                                                  : exponential_quaternion(u * read_vector(steps.at(i, j)));
            write_quaternion(out.at(n, j), read_quaternion(quaternions.at(i, j)) * turned);
        }
    }
}

// The cubics (T − 1, J, 3, 3) of steps (T − 1, J, 3).
static void rotation_cubics(Floats<3> steps, FloatsOut<4> out) {
    for (Index i = 0; i < steps.shape[0]; ++i) {
        for (Index j = 0; j < steps.shape[1]; ++j) {
            const RotationCubic own(steps, i, j);
            write_vector(out.at(i, j, 0), own.step);
            write_vector(out.at(i, j, 1), own.leaving);
            write_vector(out.at(i, j, 2), own.arriving);
        }
    }
}

// Rotations past frames `at` by shares (N,), of some joints (K,) of (T, J, 4) with cubics (T − 1, J, 3, 3), into the
// columns `into` (K,) of (N, C, 4).
static void resample_cubics(Floats<3> quaternions, Floats<4> cubics, Ints<1> joints, Ints<1> at, Floats<1> share,
                            Ints<1> into, FloatsOut<3> out) {
    for (Index n = 0; n < at.shape[0]; ++n) {
        const Index i = at(n);
        for (Index k = 0; k < joints.shape[0]; ++k) {
            const Quat from = read_quaternion(quaternions.at(i, joints(k)));
            const Quat made = from * RotationCubic(cubics.at(i, joints(k))).at(share(n));
            write_quaternion(out.at(n, into(k)), made);
        }
    }
}

// One row of `resample_vectors`, smooth, between the rows `a` and `b`; `p` and `s` are the rows before and after them,
// or null. Of vectors with SIZE components, or if SIZE is 0 with any number.
template <Index SIZE>
static void smooth_row(const double* p, const double* a, const double* b, const double* s, double u, Index count,
                       Index components, double* made) {
    const Index size = SIZE > 0 ? SIZE : components;
    for (Index start = 0; start < count * size; start += size) {
        double before = 0.0, here = 0.0, after = 0.0, left = 0.0, right = 0.0;  // squared lengths
        for (Index k = start; k < start + size; ++k) {
            const double step = b[k] - a[k];
            here += square(step);
            if (p) before += square(a[k] - p[k]), left += square(0.5 * (a[k] - p[k] + step));
            if (s) after += square(s[k] - b[k]), right += square(0.5 * (step + (s[k] - b[k])));
        }
        const double left_share = limit_mean(before, here, left), right_share = limit_mean(here, after, right);
        for (Index k = start; k < start + size; ++k) {
            const double step = b[k] - a[k];
            const double leaving = p ? left_share * (0.5 * (a[k] - p[k] + step)) : step;
            const double arriving = s ? right_share * (0.5 * (step + (s[k] - b[k]))) : step;
            made[k] = a[k] + hermite_rise(step, leaving, arriving, u);
        }
    }
}

// Vectors (N, M, D) past frames `at` by shares (N,) of the steps of (T, M, D).
static void resample_vectors(Floats<3> values, Ints<1> at, Floats<1> share, bool smooth, FloatsOut<3> out) {
    const Index last = values.shape[0] - 1, count = values.shape[1], size = values.shape[2];
    for (Index n = 0; n < at.shape[0]; ++n) {
        const Index i = at(n);
        const double u = share(n);
        const double *a = values.at(i), *b = values.at(i + 1);
        double* made = out.at(n);
        if (smooth && u > 0.0) {
            const double *p = i > 0 ? values.at(i - 1) : nullptr, *s = i + 1 < last ? values.at(i + 2) : nullptr;
            (size == 3 ? smooth_row<3> : smooth_row<0>)(p, a, b, s, u, count, size, made);
        } else {
            for (Index k = 0; k < count * size; ++k) made[k] = a[k] + u * (b[k] - a[k]);
        }
    }
}

// Rows (F, C) of a table (N, C) at fractional row numbers (F,).
WIDE static void cubic_rows(Floats<2> table, Floats<1> places, bool loop, FloatsOut<2> out) {
    const Index last = table.shape[0] - 1, period = most(last, Index{1}), columns = table.shape[1];
    const auto row = [&](Index number) {
        return table.at(loop ? modulo(number, period) : least(most(number, Index{0}), last));
    };
    for (Index i = 0; i < places.shape[0]; ++i) {
        const double whole = std::floor(places(i)), u = places(i) - whole;
        const Index q = static_cast<Index>(whole);
        const double *before = row(q - 1), *here = row(q), *next = row(q + 1), *after = row(q + 2);
        // As differences from a row, so that what does not change stays as it is.
        const double a = 0.5 * u * (u * (2.0 - u) - 1.0), c = 0.5 * u * (1.0 + u * (4.0 - 3.0 * u));
        const double d = 0.5 * u * u * (u - 1.0);
        double* made = out.at(i);
        for (Index k = 0; k < columns; ++k) {
            const double b = here[k];
            made[k] = b + (a * (before[k] - b) + c * (next[k] - b) + d * (after[k] - b));
        }
    }
}

KERNELS(interpolation) {
    return {
        kernel<rotation_steps>("rotation_steps"),     kernel<resample_rotations>("resample_rotations"),
        kernel<rotation_cubics>("rotation_cubics"),   kernel<resample_cubics>("resample_cubics"),
        kernel<resample_vectors>("resample_vectors"), kernel<cubic_rows>("cubic_rows"),
    };
}

}  // namespace kinesphere
