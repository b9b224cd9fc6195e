// Loops over quaternions: products, rotated vectors, exponential, slerp, signs and lengths.
#include "maths/rotations.hpp"

#include "maths/binding.hpp"

namespace kinesphere {

// Products (N, 4) of quaternions; an operand with fewer rows is repeated from its first.
WIDE static void multiply(Floats<2> a, Floats<2> b, FloatsOut<2> out) {
    Index j = -1, k = -1;
    for (Index i = 0; i < out.shape[0]; ++i) {
        j = j + 1 == a.shape[0] ? 0 : j + 1;
        k = k + 1 == b.shape[0] ? 0 : k + 1;
        write_quaternion(out.at(i), read_quaternion(a.at(j)) * read_quaternion(b.at(k)));
    }
}

// Vectors (N, 3) rotated by quaternions (N, 4); an operand with fewer rows is repeated from its first.
WIDE static void rotate_rows(Floats<2> q, Floats<2> vectors, FloatsOut<2> out) {
    Index j = -1, k = -1;
    for (Index i = 0; i < out.shape[0]; ++i) {
        j = j + 1 == q.shape[0] ? 0 : j + 1;
        k = k + 1 == vectors.shape[0] ? 0 : k + 1;
        write_vector(out.at(i), rotate(read_quaternion(q.at(j)), read_vector(vectors.at(k))));
    }
}

// Quaternions (N, 4) of rotation vectors (N, 3).
WIDE static void exponential(Floats<2> vectors, FloatsOut<2> out) {
    for (Index i = 0; i < vectors.shape[0]; ++i)
        write_quaternion(out.at(i), exponential_quaternion(read_vector(vectors.at(i))));
}

// Rotation vectors (N, 3) of quaternions (N, 4) along the shorter arc.
static void logarithm(Floats<2> q, FloatsOut<2> out) {
    for (Index i = 0; i < q.shape[0]; ++i) write_vector(out.at(i), quaternion_logarithm(read_quaternion(q.at(i))));
}

// Unit quaternions (N, D), or vectors, in the directions of others; whether all have a direction.
static bool normalise(Floats<2> q, FloatsOut<2> out) {
    for (Index i = 0; i < q.shape[0]; ++i) {
        const double* a = q.at(i);
        double squares = 0.0;
        for (Index k = 0; k < q.shape[1]; ++k) squares += a[k] * a[k];
        const double length = std::sqrt(squares);
        if (!(length > 0.0)) return false;
        for (Index k = 0; k < q.shape[1]; ++k) out(i, k) = a[k] / length;
    }
    return true;
}

// Angles (N,) between quaternions (N, 4), in [0, π].
static void angle_between(Floats<2> a, Floats<2> b, FloatsOut<1> out) {
    for (Index i = 0; i < out.shape[0]; ++i) {
        const Quat step = conjugate(read_quaternion(a.at(i))) * read_quaternion(b.at(i));
        out(i) = 2.0 * std::atan2(std::sqrt(step.x * step.x + step.y * step.y + step.z * step.z), std::abs(step.w));
    }
}

// From quaternions (N, 4) to others along the shorter arc, by shares (N,).
static void slerp_rows(Floats<2> a, Floats<2> b, Floats<1> share, FloatsOut<2> out) {
    for (Index i = 0; i < a.shape[0]; ++i) {
        write_quaternion(out.at(i), slerp(read_quaternion(a.at(i)), read_quaternion(b.at(i)), share(i)));
    }
}

// The smallest rotations (N, 4) from directions (N, 3) to others; NaN where one has length zero.
static void rotation_between(Floats<2> a, Floats<2> b, FloatsOut<2> out) {
    for (Index i = 0; i < a.shape[0]; ++i) {
        write_quaternion(out.at(i), quaternion_between(read_vector(a.at(i)), read_vector(b.at(i))));
    }
}

// Whether any quaternion of (T, J, 4) lies in the other hemisphere than in the frame before.
static bool has_sign_flips(Floats<3> q) {
    for (Index f = 1; f < q.shape[0]; ++f) {
        for (Index j = 0; j < q.shape[1]; ++j) {
            const double *a = q.at(f, j), *b = q.at(f - 1, j);
            if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0) return true;
        }
    }
    return false;
}

// Quaternions (T, J, 4) with signs that keep each in the hemisphere in which it is in the frame before.
static void continuous_signs(Floats<3> q, FloatsOut<3> out) {
    for (Index f = 0; f < q.shape[0]; ++f) {
        for (Index j = 0; j < q.shape[1]; ++j) {
            const double* now = q.at(f, j);
            double* made = out.at(f, j);
            double sign = 1.0;
            if (f > 0) {
                const double* before = out.at(f - 1, j);
                const double along = now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3];
                if (along < 0.0) sign = -1.0;
            }
            for (Index k = 0; k < 4; ++k) made[k] = sign * now[k];
        }
    }
}

// The greatest distance of squared lengths of (N, 4) from 1; NaN if one is not a number.
WIDE static double unit_error(Floats<2> q) {
    double greatest = 0.0;
    for (Index i = 0; i < q.shape[0]; ++i) {
        const double* a = q.at(i);
        const double error = std::abs(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3] - 1.0);
        if (!(error <= greatest)) {
            greatest = error;
            if (std::isnan(error)) return error;
        }
    }
    return greatest;
}

KERNELS(rotations) {
    return {
        kernel<multiply>("multiply"),
        kernel<rotate_rows>("rotate"),
        kernel<exponential>("exponential"),
        kernel<logarithm>("logarithm"),
        kernel<normalise>("normalise"),
        kernel<angle_between>("angle_between"),
        kernel<slerp_rows>("slerp"),
        kernel<rotation_between>("rotation_between"),
        kernel<has_sign_flips>("has_sign_flips"),
        kernel<continuous_signs>("continuous_signs"),
        kernel<unit_error>("unit_error"),
    };
}

}  // namespace kinesphere
