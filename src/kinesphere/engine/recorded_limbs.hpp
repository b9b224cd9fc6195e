// Limbs of a recorded pose: their bones, their hinges, and how far these go.
#pragma once

#include "engine/pose_view.hpp"
#include "maths/binding.hpp"
#include "maths/easing.hpp"

namespace kinesphere {

constexpr double HINGE_SHOWN = 0.35;  // sine of a limb's bend from which on it shows its axis by itself

// Limb of recorded_limbs.py.
struct Limb {
    Ints<1> parents;  // (J,)
    Index upper, lower, end;
    Floats<1> hinge;  // (3,) the axis of its hinge in the upper joint's own axes
    double soft;      // share of its length in which it comes softly to straight
};

// Where the upper joint of a limb is, below its parent, which is turned and placed so (7,), or that is yet to be found
// (0,): limbs that are brought somewhere several times hang on a trunk that stays.
inline Placement upper_joint(const Limb& limb, const PoseView& pose, Floats<2> above, Index t) {
    if (above.shape[1] == 0) return pose.world(limb.upper);
    const Placement parent = {read_quaternion(above.at(t)), read_vector(above.at(t) + 4)};
    return pose.world_below(limb.parents(limb.upper), parent, limb.upper);
}

// Of a limb's length that it is softly brought to: seven degrees of its hinge.
constexpr double REACHED_SOFTLY = 0.9981;

// How far a limb of this length reaches that was `before` long and is asked to be `wanted` long: as far as asked, but
// within the last share `soft` of its length softly to nearly straight, or to as straight as it was. There a millimetre
// would be degrees of the hinge.
inline double reach(double before, double wanted, double longest, double soft) {
    const double whole =
        most(least(before, (1.0 - 1e-9) * longest), (soft > 0.0 ? REACHED_SOFTLY : 1.0 - 1e-9) * longest);
    const double freely = least(most(before, (1.0 - soft) * longest), whole);
    if (wanted <= freely) return wanted;
    const double room = most(whole - freely, 1e-12 * longest);
    return freely + room * (1.0 - std::exp(-(wanted - freely) / room));
}

// The smallest rotation from one unit vector to another; half a circle about some axis across if opposite.
inline Quat rotation_between_units(Vec3 start, Vec3 end) {
    const Vec3 middle = start + end;
    const double size = norm(middle);
    if (size < 1e-9) {
        const Vec3 across = perpendicular_vector(start);
        return {0.0, across.x, across.y, across.z};
    }
    const Vec3 axis = cross(start, end) / size;  // which is twice the sine of half the angle long
    return {0.5 * size, axis.x, axis.y, axis.z};
}

// A limb's two bones in the world, and the axis of its hinge: the one that it shows; where it is nearly straight, its
// own counts as well. What is bent the wrong way round, as captured knees are at times, is bent the right way round.
struct Bones {
    Vec3 along, below, axis;
    double upper, lower;

    Bones(Vec3 first, Vec3 second, Vec3 own) : upper(norm(first)), lower(norm(second)) {
        along = first / most(upper, 1e-9), below = second / most(lower, 1e-9);
        Vec3 shown = cross(along, below);
        shown = shown - 2.0 * least(dot(shown, own), 0.0) * own;
        const double unknown = 1.0 - smoothstep(norm(shown) / HINGE_SHOWN);
        axis = shown + HINGE_SHOWN * unknown * own;
        axis = axis - dot(axis, along) * along;
        axis = norm(axis) > 1e-9 ? axis / norm(axis) : perpendicular_vector(along);
    }

    // Direction of the second bone where the limb reaches so far.
    Vec3 bent(double far) const {
        const double cosine = clamp((far * far - upper * upper - lower * lower) / (2.0 * upper * lower), -1.0, 1.0);
        return cosine * along + std::sqrt(1.0 - cosine * cosine) * cross(axis, along);
    }

    double shortest() const { return std::abs(upper - lower) + 1e-6 * (upper + lower); }
};

}  // namespace kinesphere

FIELDS(kinesphere::Limb, &kinesphere::Limb::parents, &kinesphere::Limb::upper, &kinesphere::Limb::lower,
       &kinesphere::Limb::end, &kinesphere::Limb::hinge, &kinesphere::Limb::soft);
