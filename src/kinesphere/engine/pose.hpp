// Limbs at rest, ranges of angles, and how forearm and wrist share a roll.
#pragma once

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double ROLL_SHARED = 0.55;  // of a forearm's roll that its own joint takes; the wrist takes the rest

// The least and the greatest of an angle, in radians.
struct AngleRange {
    double least, greatest;
};

constexpr AngleRange WRIST_ASIDE = {-0.5585053606381855, 0.4363323129985824};  // −32° and 25°, as the forearm sees it

// How a forearm and its wrist share a roll.
struct SharedRoll {
    double forearm, wrist;
};

// Share a roll. `wrist` is the wrist's rotation without it, `across` the way to the thumb. A rolled wrist that bends
// goes aside; the forearm then takes more, as no wrist goes far aside.
inline SharedRoll share_roll(double roll, Quat wrist, Vec3 forearm, Vec3 across) {
    const double taken = (1.0 - ROLL_SHARED) * roll;
    const Vec3 hand = rotate(wrist, forearm);
    const double x = dot(hand, cross(across, forearm)), y = dot(hand, across), size = std::hypot(x, y);
    const double aside = std::cos(taken) * y + std::sin(taken) * x;
    const double limit = clamp(aside, std::sin(WRIST_ASIDE.least), std::sin(WRIST_ASIDE.greatest));
    if (aside == limit) return {ROLL_SHARED * roll, taken};
    const double now = std::atan2(y, x), reached = std::asin(clamp(limit / size, -1.0, 1.0));
    double made = 0.0;
    for (const double angle : {reached, 3.14159265358979323846 - reached}) {
        const double share = std::remainder(angle - now, 2.0 * 3.14159265358979323846) / taken;
        if (share > 0.0 && share < 1.0) made = most(made, share);
    }
    return {roll - made * taken, made * taken};
}

// A limb in the rest pose.
struct LimbRest {
    Floats<1> upper;  // (3,) offset of the elbow, in metres
    Floats<1> lower;  // (3,) offset of the wrist
    Floats<1> hinge;  // (3,) the elbow's axis
    Floats<2> frame;  // (3, 3) upper bone, hinge and their normal as rows
    double flexion;   // the elbow's angle
};

}  // namespace kinesphere

FIELDS(kinesphere::AngleRange, &kinesphere::AngleRange::least, &kinesphere::AngleRange::greatest);
FIELDS(kinesphere::LimbRest, &kinesphere::LimbRest::upper, &kinesphere::LimbRest::lower, &kinesphere::LimbRest::hinge,
       &kinesphere::LimbRest::frame, &kinesphere::LimbRest::flexion);
