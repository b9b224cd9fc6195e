// Loops of foot paths: which contacts slide, rotations that take out jitter and align feet, easing of corrections.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double TOLERANCE = 0.001;    // leg lengths: points that stay so near to their anchors are left alone
constexpr double MIN_DISTANCE = 0.03;  // leg lengths that heel and ball must be apart to give a direction
constexpr double EASE = 0.2;           // seconds before and after a contact in which its correction eases in and out

// Which contacts are corrected

// Find frames of contact (T,), and those of runs that slide, of points (T, P, 3) with labels (T, P); false before.
//
// `unit` is the leg length. Returns whether any run slides.
static bool find_sliding(Floats<3> paths, Floats<3> anchors, Bools<2> labels, Bools<1> performed, double rate,
                         double unit, BoolsOut<1> in_contact, BoolsOut<1> sliding) {
    const Index frames = labels.shape[0], points = labels.shape[1];
    const double apart = most(EASE * rate, 1.5), tolerance = TOLERANCE * unit;
    Index first = -1, last = -1;
    bool slides = false, found = false;
    for (Index t = 0; t <= frames; ++t) {
        bool off = false;  // a point is off its anchor
        for (Index i = 0; i < points && t < frames && performed(t); ++i) {
            if (!labels(t, i)) continue;
            in_contact(t) = true;
            off = off || norm(read_vector(paths.at(t, i)) - read_vector(anchors.at(t, i))) > tolerance;
        }
        if (t < frames && !in_contact(t)) continue;
        if (first >= 0 && (t == frames || static_cast<double>(t - last) >= apart)) {
            for (Index i = first; slides && i <= last; ++i) sliding(i) = in_contact(i);
            found = found || slides;
            first = -1;
            slides = false;
        }
        first = first < 0 ? t : first;
        last = t;
        slides = slides || off;
    }
    return found;
}

// Rotation

// By what x, y, z of a quaternion must be multiplied to be its rotation vector, by the shorter arc.
static inline double vector_factor(Quat q) {
    const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0.0 ? -1.0 : 1.0;
    if (sine < 0.05) {  // the series of the arc sine; the remainder is below 1e-17
        const double s = sine * sine;
        const double factor = 35.0 / 576.0 + s * (63.0 / 1408.0 + s * (231.0 / 6656.0));
        return sign * (2.0 + s * (1.0 / 3.0 + s * (3.0 / 20.0 + s * (5.0 / 56.0 + s * factor))));
    }
    return sign * (2.0 * std::atan2(sine, sign * q.w) / sine);
}

static Vec3 rotation_vector(Quat q) {
    const double factor = vector_factor(q);
    return {factor * q.x, factor * q.y, factor * q.z};
}

// Shares (T,) of the rotations from `start` to `end` (T, 4), which need not have length 1, where above 0.
static void partial_rotations(Floats<2> start, Floats<2> end, Floats<1> share, FloatsOut<2> result) {
    for (Index t = 0; t < share.shape[0]; ++t) {
        if (!(share(t) > 0.0)) continue;
        const auto [w, x, y, z] = read_quaternion(end.at(t));
        const double scale = 1.0 / std::sqrt(w * w + x * x + y * y + z * z);
        const Quat q = Quat{scale * w, scale * x, scale * y, scale * z} * conjugate(read_quaternion(start.at(t)));
        const double factor = share(t) * vector_factor(q);
        write_quaternion(result.at(t), exponential_quaternion({factor * q.x, factor * q.y, factor * q.z}));
    }
}

// Points (3 P) rotated about a centre.
static void rotate_about(const double* points, Index count, Vec3 centre, Quat q, double* result) {
    for (Index i = 0; i < count; i += 3) write_vector(result + i, rotate(q, read_vector(points + i) - centre) + centre);
}

// Points (T, 3 P) rotated about a centre (T, 3) by quaternions (T, 4).
static void rotate_points(Floats<2> points, Floats<2> centre, Floats<2> q, FloatsOut<2> result) {
    for (Index t = 0; t < q.shape[0]; ++t) {
        rotate_about(points.at(t), points.shape[1], read_vector(centre.at(t)), read_quaternion(q.at(t)), result.at(t));
    }
}

// Rotate a foot's points (T, 3 P) about its ankle (T, 3) by rotation vectors (T, 3).
//
// These become the vectors of that rotation after the one that took the jitter out, `steady_foot (T, 4)`, by the
// shorter arc, and `toe_rotation (T, 3)` those of that after `steady_toes`.
static void rotate_foot(Floats<2> ankle, Floats<2> steady_foot, Floats<2> steady_toes, FloatsOut<2> points,
                        FloatsOut<2> rotation, FloatsOut<2> toe_rotation) {
    for (Index t = 0; t < ankle.shape[0]; ++t) {
        const Quat aligned = exponential_quaternion(read_vector(rotation.at(t)));
        rotate_about(points.at(t), points.shape[1], read_vector(ankle.at(t)), aligned, points.at(t));
        write_vector(rotation.at(t), rotation_vector(aligned * read_quaternion(steady_foot.at(t))));
        write_vector(toe_rotation.at(t), rotation_vector(aligned * read_quaternion(steady_toes.at(t))));
    }
}

// Rotation vectors (T, 3) from bones (T, 3), heel to ball, to those of the anchors, where both are in contact (T,).
//
// Points and anchors are (T, 6), `unit` is the leg length. Returns whether both are in contact in any frame.
static bool align_bones(Floats<2> points, Floats<2> anchors, Bools<2> labels, double unit, FloatsOut<2> bones,
                        BoolsOut<1> both, FloatsOut<2> vectors) {
    const double shortest = MIN_DISTANCE * unit;
    bool found = false;
    for (Index t = 0; t < both.shape[0]; ++t) {
        const Vec3 bone = read_vector(points.at(t) + 3) - read_vector(points.at(t));
        const Vec3 line = read_vector(anchors.at(t) + 3) - read_vector(anchors.at(t));
        write_vector(bones.at(t), bone);
        both(t) = labels(t, 0) && labels(t, 1) && norm(bone) > shortest && norm(line) > shortest;
        if (both(t)) write_vector(vectors.at(t), rotation_vector(quaternion_between(bone, line)));
        found = found || both(t);
    }
    return found;
}

// Easing in and out of contacts

// Values (T, 3) where known; elsewhere cubics that leave each known stretch with its value and slope.
//
// They reach zero EASE seconds away, or the next known stretch if that is nearer than twice as far. Slopes are a
// second. Frames that are not allowed stay as they are.
static void ease_corrections(Floats<2> values, Floats<2> slopes, Bools<1> known, Bools<1> allowed, double rate,
                             FloatsOut<2> result) {
    const Index frames = known.shape[0];
    const double ease = EASE * rate;
    Index before = -1, after = -1;  // the known frames before and after
    for (Index t = 0; t < frames; ++t) {
        if (known(t)) {
            before = t;
            write_vector(result.at(t), read_vector(values.at(t)));
            continue;
        }
        if (after < t) {
            for (after = t; after < frames && !known(after);) ++after;
        }
        bool leaves = before >= 0, comes = after < frames;
        const double now = static_cast<double>(t);
        double start = static_cast<double>(before), end = static_cast<double>(after);  // of the cubic
        if (!(leaves && comes && end - start <= 2.0 * ease)) {
            const double last = start, next = end;
            leaves = leaves && now <= last + ease;
            comes = comes && now >= next - ease;
            start = leaves ? last : next - ease;
            end = comes ? next : last + ease;
        }
        if (!(leaves || comes) || !allowed(t)) continue;
        const double u = (now - start) / (end - start), seconds = (end - start) / rate;
        for (int k = 0; k < 3; ++k) {
            const double a = leaves ? values(before, k) : 0.0, left = leaves ? slopes(before, k) * seconds : 0.0;
            const double b = comes ? values(after, k) : 0.0, right = comes ? slopes(after, k) * seconds : 0.0;
            const double chord = b - a;
            result(t, k) = a + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)));
        }
    }
}

// Ease rotation vectors (T, 3), known in frames (T,) in which bones (T, 3) have velocities (T, 3), into `rotation`.
//
// In contact the correction undoes the foot's own rotation: its slope is minus the angular velocity.
static void ease_rotation(Floats<2> vectors, Floats<2> bones, Floats<2> velocities, Bools<1> known, Bools<1> performed,
                          double rate, FloatsOut<2> rotation) {
    Scratch<double, 2> slopes(known.shape[0], 3);
    for (Index t = 0; t < known.shape[0]; ++t) {
        if (!known(t)) continue;
        const Vec3 bone = read_vector(bones.at(t));
        write_vector(slopes.at(t), cross(read_vector(velocities.at(t)), bone) / dot(bone, bone));
    }
    ease_corrections(vectors, slopes, known, performed, rate, rotation);
}

// Ease into `shift (T, 3)` what takes points (T, 3 P) in contact (T, P) to their anchors in the mean.
static void ease_shift(Floats<2> anchors, Floats<2> points, Floats<2> velocities, Bools<2> labels, Bools<1> sliding,
                       Bools<1> performed, double rate, FloatsOut<2> shift) {
    const Index frames = labels.shape[0], count = labels.shape[1];
    Scratch<double, 2> values(frames, 3), slopes(frames, 3);
    for (Index t = 0; t < frames; ++t) {
        double number = 0.0;
        for (Index i = 0; i < count; ++i) number += labels(t, i) ? 1.0 : 0.0;
        Vec3 value = {0.0, 0.0, 0.0}, slope = {0.0, 0.0, 0.0};
        for (Index i = 0; i < count; ++i) {
            if (!labels(t, i)) continue;
            value = value + (read_vector(anchors.at(t) + 3 * i) - read_vector(points.at(t) + 3 * i)) / number;
            slope = slope - read_vector(velocities.at(t) + 3 * i) / number;
        }
        write_vector(values.at(t), value);
        write_vector(slopes.at(t), slope);
    }
    ease_corrections(values, slopes, sliding, performed, rate, shift);
}

KERNELS(foot_paths) {
    return {
        kernel<find_sliding>("find_sliding"),   kernel<partial_rotations>("partial_rotations"),
        kernel<rotate_points>("rotate_points"), kernel<align_bones>("align_bones"),
        kernel<ease_rotation>("ease_rotation"), kernel<rotate_foot>("rotate_foot"),
        kernel<ease_shift>("ease_shift"),
    };
}

}  // namespace kinesphere
