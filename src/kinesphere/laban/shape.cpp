// Loops over hand keys: Shape on the arms.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

namespace {

// KeyRotation of shape.py.
struct KeyRotation {
    double ratio;             // of the ellipses' radii
    double largest_rotation;  // radians along an ellipse at full Shape
    double reach_scale;       // of its distance from the middle that a key moves at full reach
    Floats<1> middle;         // (3,) the body's centre of mass from the shoulder
};

struct EllipseStep {
    double major, minor;
};

}  // namespace

constexpr double PI = 3.141592653589793;
constexpr double FADE_ANGLE = 24.0 * (PI / 180.0);  // from the far end, within which a rotation gives way to a pull
constexpr double SOFT_END = 6.0;                    // exponent: the greater, the less a rotation is slowed near its end
constexpr double SOFT_REACH = 0.03;                 // metres before the longest reach, over which a key is slowed

// How far a point moves along the long and the short axis. A dial below zero goes to the long axis' plus end.
// At the far end it could be rotated in either direction, and would jump between the two: there it is pulled towards
// the near end instead, along the axis, as far as it would be rotated.
static EllipseStep move_on_ellipse(double major, double minor, double dial, const KeyRotation& shape) {
    if (dial == 0.0) return {0.0, 0.0};
    const double ratio = shape.ratio;
    const double angle = std::atan2(ratio * minor, major);  // 0 at the plus end, ±π at the other
    const double radius = std::hypot(major, ratio * minor);
    const double size = std::abs(angle), sign = angle < 0.0 ? -1.0 : 1.0;
    const double room = dial < 0.0 ? size : PI - size, from_far_end = dial < 0.0 ? PI - size : size;
    const double fade = -std::expm1(-square(from_far_end / FADE_ANGLE));
    const double whole = std::abs(dial) * shape.largest_rotation, asked = whole * fade;
    // Softly to the end.
    const double rotation = asked / std::pow(1.0 + std::pow(asked / most(room, 1e-9), SOFT_END), 1.0 / SOFT_END);
    const double rotated = sign * (dial < 0.0 ? size - rotation : size + rotation);
    const double chord = radius * std::hypot(1.0 - std::cos(whole), std::sin(whole) / ratio);
    const double pull = chord * std::sqrt(most(1.0 - fade * fade, 0.0));
    return {radius * std::cos(rotated) - major + (dial < 0.0 ? pull : -pull),
            radius / ratio * std::sin(rotated) - minor};
}

// Write to `moved (K, 3)` where Shape (K, 4) takes keys (K, 3): three ellipses, then the reach space.
static void rotate_keys(Floats<2> positions, Floats<2> factors, const KeyRotation& shape, FloatsOut<2> moved) {
    const Vec3 middle = read_vector(shape.middle.data);
    for (Index k = 0; k < positions.shape[0]; ++k) {
        const auto [out, up, ahead] = read_vector(positions.at(k));
        const EllipseStep horizontal = move_on_ellipse(out, ahead, factors(k, 0), shape);
        const EllipseStep vertical = move_on_ellipse(up, out, factors(k, 1), shape);
        const EllipseStep sagittal = move_on_ellipse(ahead, -up, factors(k, 2), shape);
        const Vec3 key = {out + horizontal.major + vertical.minor, up + vertical.major - sagittal.minor,
                          ahead + horizontal.minor + sagittal.major};
        write_vector(moved.at(k), key + shape.reach_scale * factors(k, 3) * (key - middle));
    }
}

// Move keys (K, 3) in place into the arm's reach of `longest` metres, softly. A key may stay as far out as it was
// `written (K, 3)`.
static void limit_reach(FloatsOut<2> keys, Floats<2> written, double longest) {
    for (Index k = 0; k < keys.shape[0]; ++k) {
        const Vec3 key = read_vector(keys.at(k));
        const double far = norm(key), was = norm(read_vector(written.at(k)));
        const double start = least(most(longest - SOFT_REACH, was), longest - 1e-6);
        const double room = longest - start;
        double distance = far > start ? start - room * std::expm1(-(far - start) / room) : far;
        if (was >= longest) distance = least(far, was);
        write_vector(keys.at(k), distance / most(far, 1e-12) * key);
    }
}

}  // namespace kinesphere

using namespace kinesphere;

FIELDS(KeyRotation, &KeyRotation::ratio, &KeyRotation::largest_rotation, &KeyRotation::reach_scale,
       &KeyRotation::middle);

KERNELS(shape) { return {kernel<rotate_keys>("rotate_keys"), kernel<limit_reach>("limit_reach")}; }
