// Offset and distance of a point from a capsule that is flattened ahead: see capsules.py.
#pragma once

#include "maths/rotations.hpp"

namespace kinesphere {

// The offset of a point from a capsule's axis, in axes stretched ahead until the capsule is round. `wide` and `deep`
// are its half widths aside and ahead.
inline Vec3 capsule_offset(Vec3 point, Vec3 start, Vec3 end, double wide, double deep) {
    const double stretch = wide / deep;
    Vec3 bone = end - start, offset = point - start;
    bone.z *= stretch;
    offset.z *= stretch;
    const double along = clamp(dot(offset, bone) / most(dot(bone, bone), 1e-9), 0.0, 1.0);
    return offset - along * bone;
}

// The signed distance of a point from a capsule, in the same stretched axes; negative inside.
inline double capsule_distance(Vec3 point, Vec3 start, Vec3 end, double wide, double deep) {
    return norm(capsule_offset(point, start, end, wide, deep)) - wide;
}

}  // namespace kinesphere
