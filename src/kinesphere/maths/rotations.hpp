// Quaternions and vectors of one joint: product, rotation, exponential, smallest rotation between directions.
#pragma once

#include "maths/array.hpp"

namespace kinesphere {

inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vec3 operator/(Vec3 a, double s) { return {a.x / s, a.y / s, a.z / s}; }

inline Vec3 read_vector(const double* v) { return {v[0], v[1], v[2]}; }
inline void write_vector(double* out, Vec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
inline Quat read_quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline void write_quaternion(double* out, Quat q) { out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; }

inline double dot(Quat a, Quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
inline Quat conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quat operator-(Quat q) { return {-q.w, -q.x, -q.y, -q.z}; }

// The Hamilton product a b: rotate by b, then by a.
inline Quat operator*(Quat a, Quat b) {
    return {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

// A vector rotated by a quaternion: v + w t + u × t, with t = 2 u × v.
inline Vec3 rotate(Quat q, Vec3 v) {
    const double tx = 2.0 * (q.y * v.z - q.z * v.y), ty = 2.0 * (q.z * v.x - q.x * v.z),
                 tz = 2.0 * (q.x * v.y - q.y * v.x);
    return {v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz,
            v.z + q.w * tz + q.x * ty - q.y * tx};
}

struct CosSinc {
    double cosine, sinc;
};

// The cosine of an angle and its sine over it, from its square: by their series up to half a radian. Most joints rotate
// no farther, and a series takes a fifth of the time. The terms left out are below 1e-15.
inline CosSinc cos_and_sinc(double s) {
    if (s > 0.25) {
        const double angle = std::sqrt(s);
        return {std::cos(angle), std::sin(angle) / angle};
    }
    double c = s * (1.0 / 40320.0 + s * (-1.0 / 3628800.0 + s * (1.0 / 479001600.0)));
    c = 1.0 + s * (-1.0 / 2.0 + s * (1.0 / 24.0 + s * (-1.0 / 720.0 + c)));
    double d = s * (1.0 / 362880.0 + s * (-1.0 / 39916800.0 + s * (1.0 / 6227020800.0)));
    d = 1.0 + s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0 + d)));
    return {c, d};
}

// The angle of a sine and a cosine that are not negative, of any length: as std::atan2 but for the last bits, in a
// third of the time. The rational function is that of Cephes, which holds for tangents up to 0.66; others are turned
// first.
inline double acute_angle(double sine, double cosine) {
    if (sine <= 0.0) return 0.0;
    constexpr double quarter = 0.78539816339744830962;
    double tangent, turned;
    if (sine <= 0.66 * cosine) {
        tangent = sine / cosine, turned = 0.0;
    } else if (cosine > 0.42 * sine) {
        tangent = (sine - cosine) / (sine + cosine), turned = quarter;
    } else {
        tangent = -cosine / sine, turned = 2.0 * quarter;
    }
    const double s = tangent * tangent;
    double top = -8.750608600031904122785e-1, bottom = s + 2.485846490142306297962e1;
    top = top * s - 1.615753718733365076637e1, bottom = bottom * s + 1.650270098316988542046e2;
    top = top * s - 7.500855792314704667340e1, bottom = bottom * s + 4.328810604912902668951e2;
    top = top * s - 1.228866684490136173410e2, bottom = bottom * s + 4.853903996359136964868e2;
    top = top * s - 6.485021904942025371773e1, bottom = bottom * s + 1.945506571482613964425e2;
    return turned + (tangent + tangent * s * top / bottom);
}

// The angle of any sine and cosine, of any length, and that of a cosine from −1 to 1: likewise.
inline double angle_of(double sine, double cosine) {
    const double acute = acute_angle(std::abs(sine), std::abs(cosine));
    const double angle = cosine < 0.0 ? 3.14159265358979323846 - acute : acute;
    return sine < 0.0 ? -angle : angle;
}

inline double angle_of_cosine(double cosine) { return angle_of(std::sqrt((1.0 - cosine) * (1.0 + cosine)), cosine); }

// The quaternion of an angle about a unit axis.
inline Quat axis_angle_quaternion(Vec3 axis, double angle) {
    const double half = 0.5 * angle;
    const auto [c, sinc] = cos_and_sinc(half * half);
    const double s = sinc * half;
    return {c, s * axis.x, s * axis.y, s * axis.z};
}

// The quaternion of a rotation vector.
inline Quat exponential_quaternion(Vec3 v) {
    const auto [c, sinc] = cos_and_sinc(0.25 * (v.x * v.x + v.y * v.y + v.z * v.z));
    const double s = 0.5 * sinc;
    return {c, s * v.x, s * v.y, s * v.z};
}

// The rotation vector of a quaternion, along the shorter arc.
inline Vec3 quaternion_logarithm(Quat q) {
    if (q.w < 0.0) q = -q;
    const Vec3 axis = {q.x, q.y, q.z};
    const double sine = norm(axis);
    const double factor = sine > 1e-12 ? 2.0 * acute_angle(sine, q.w) / sine : 2.0;  // a series below that
    return factor * axis;
}

// A share of a rotation, along the shorter arc.
inline Quat part_of(Quat step, double share) {
    if (step.w < 0.0) step = -step;
    const double sine = std::sqrt(step.x * step.x + step.y * step.y + step.z * step.z);
    const double half = share * acute_angle(sine, step.w);
    const auto [c, sinc] = cos_and_sinc(half * half);
    const double factor = sine > 1e-12 ? sinc * half / sine : share;
    return {c, factor * step.x, factor * step.y, factor * step.z};
}

// From a quaternion to another along the shorter arc, by a share.
inline Quat slerp(Quat start, Quat end, double share) { return start * part_of(conjugate(start) * end, share); }

// One unit vector across another vector: square to the world axis that is farthest from it.
inline Vec3 perpendicular_vector(Vec3 v) {
    if (std::abs(v.x) <= std::abs(v.y) && std::abs(v.x) <= std::abs(v.z))
        v = {0.0, v.z, -v.y};
    else if (std::abs(v.y) <= std::abs(v.z))
        v = {-v.z, 0.0, v.x};
    else
        v = {v.y, -v.x, 0.0};
    return v / norm(v);
}

// The smallest rotation from one direction to another; half a circle about some axis across if opposite.
inline Quat quaternion_between(Vec3 a, Vec3 b) {
    const Vec3 start = a / norm(a);
    Vec3 middle = start + b / norm(b);
    const double size = norm(middle);
    middle = size < 1e-9 ? perpendicular_vector(start) : middle / size;
    const Vec3 axis = cross(start, middle);
    const Quat q = {dot(start, middle), axis.x, axis.y, axis.z};
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / length, q.x / length, q.y / length, q.z / length};
}

}  // namespace kinesphere
