// Limbs of a recorded pose: their bones, their hinges, and how far these go.
#pragma once

#include "engine/pose_view.hpp"
#include "maths/binding.hpp"

namespace kinesphere {

constexpr double HINGE_SHOWN = 0.35;  // sine of a limb's bend from which on it shows its axis by itself

// Limb of recorded_limbs.py.
struct Limb {
    Ints<1> parents;  // (J,)
    Index upper, lower, end;
    Floats<1> hinge;  // (3,) the axis of its hinge in the upper joint's own axes
    double soft;      // share of its length in which it comes softly to straight
};

inline double smoothstep(double share) {
    const double u = clamp(share, 0.0, 1.0);
    return u * u * (3.0 - 2.0 * u);
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
