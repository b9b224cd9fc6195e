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
