// Two bones of a recorded pose that bend to a target: see limb.py for what they keep.
#pragma once

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// LimbChain of limb.py.
struct LimbChain {
    Index upper, lower, end;
    bool attached;
    Floats<1> hinge;  // (3,) in the upper joint's axes
    double easy_share, longest, softness, backward, outward_sign;
};

constexpr double STRAIGHT = 0.12;  // sine of a flexion below which the usual hinge counts for more than the plane
constexpr double PASSING = 4.0;    // squared flexions over which a limb that bends backward comes around

// A zero vector stays zero.
inline Vec3 unit_or_zero(Vec3 v) { return v / most(norm(v), 1e-300); }
inline Vec3 reject(Vec3 v, Vec3 axis) { return v - dot(v, axis) * axis; }

// The flexion at which two bones span a distance. The law of cosines in half angles, tan²(f/2) =
// ((u + l)² − d²) / (d² − (u − l)²): exact at both ends, where the plain form loses half its digits.
inline double flexion_for_reach(double distance, double upper, double lower) {
    const double whole = upper + lower, difference = upper - lower;
    const double above = most((whole - distance) * (whole + distance), 0.0);
    const double below = most((distance - difference) * (distance + difference), 0.0);
    return 2.0 * std::atan2(std::sqrt(above), std::sqrt(below));
}

// How a limb is bent: its flexion, negative where backward, about which axis, and about which it bends farther.
struct LimbBend {
    double flexion;
    Vec3 normal, axis;
};

inline LimbBend limb_bend(const LimbChain& limb, Quat q, Vec3 upper, Vec3 lower) {
    const Vec3 a = unit_or_zero(upper), b = unit_or_zero(lower), across = cross(a, b);
    const double sine = norm(across);
    const Vec3 usual = rotate(q, read_vector(limb.hinge.data));
    const double sign = dot(across, usual) < 0.0 && sine < limb.backward ? -1.0 : 1.0;
    const Vec3 normal = unit_or_zero(sign * across);
    const double weight = std::exp(-square(sine / STRAIGHT));
    Vec3 axis = unit_or_zero(reject((1.0 - weight) * normal + weight * usual, unit_or_zero(upper + lower)));
    if (norm(axis) < 0.5) axis = perpendicular_vector(upper);  // the usual axis is along the limb: any other will do
    return {sign * std::atan2(sine, dot(a, b)), normal, axis};
}

// The rotation that takes a bone to the new one, and an axis across it to the new one.
inline Quat frame_rotation(Vec3 bone, Vec3 axis, Vec3 new_bone, Vec3 new_axis) {
    const Quat swing = quaternion_between(bone, new_bone);
    const Vec3 along = unit_or_zero(new_bone);
    const Vec3 a = reject(rotate(swing, axis), along), b = reject(new_axis, along);
    return axis_angle_quaternion(along, std::atan2(dot(along, cross(a, b)), dot(a, b))) * swing;
}

struct BentLimb {
    Quat upper, lower;  // world rotations that are applied to the bones
    Vec3 end;
};

// A limb on its way to a target, as far from its start as it should come.
class LimbSolution {
   public:
    LimbSolution(const LimbChain& limb, Quat q, Vec3 start, Vec3 middle, Vec3 end, Vec3 target, double distance)
        : limb_(limb), start_(start), bones_{middle - start, end - middle} {
        const double current = norm(end - start), asked = norm(target - start);
        lengths_[0] = norm(bones_[0]), lengths_[1] = norm(bones_[1]);
        line_ = asked > 1e-9 ? target - start : end - start;
        if (!(norm(line_) > 1e-9)) line_ = bones_[0];
        old_line_ = current > 1e-9 ? end - start : line_;
        flexion_ = flexion_for_reach(distance, lengths_[0], lengths_[1]);
        bend_ = limb_bend(limb, q, bones_[0], bones_[1]);
    }

    // Radians by which it bends on the wrong side: π where it was bent backward, less as it bends more.
    double backward() const {
        if (!(bend_.flexion < 0.0)) return 0.0;
        const double own = square(bend_.flexion);
        return 3.14159265358979323846 * std::exp(-most(square(flexion_) - own, 0.0) / most(PASSING * own, 1e-12));
    }

    BentLimb bent(double swivel, double backward) const {
        const Vec3 along = unit_or_zero(line_);
        Quat carry = quaternion_between(old_line_, line_);
        if (swivel != 0.0) carry = axis_angle_quaternion(along, swivel) * carry;
        // The flexion that there was stays about its own normal; what is added is about the axis.
        const double sign = bend_.flexion < 0.0 ? -1.0 : 1.0;
        Vec3 bend = bend_.flexion * bend_.normal + (sign * flexion_ - bend_.flexion) * bend_.axis;
        if (!(norm(bend) > 1e-9)) bend = bend_.axis;
        Vec3 outward = unit_or_zero(cross(along, rotate(carry, sign * bend)));
        if (backward != 0.0) outward = rotate(axis_angle_quaternion(along, -limb_.outward_sign * backward), outward);
        const double lean =
            std::atan2(lengths_[1] * std::sin(flexion_), lengths_[0] + lengths_[1] * std::cos(flexion_));
        const double back = flexion_ - lean;
        const Vec3 upper = lengths_[0] * (std::cos(lean) * along + std::sin(lean) * outward);
        const Vec3 lower = lengths_[1] * (std::cos(back) * along - std::sin(back) * outward);
        const Vec3 axis = rotate(carry, bend_.axis);
        return {frame_rotation(bones_[0], bend_.axis, upper, axis), frame_rotation(bones_[1], bend_.axis, lower, axis),
                start_ + upper + lower};
    }

   private:
    const LimbChain& limb_;
    Vec3 start_, bones_[2], line_, old_line_;
    double flexion_, lengths_[2];
    LimbBend bend_;
};

}  // namespace kinesphere

FIELDS(kinesphere::LimbChain, &kinesphere::LimbChain::upper, &kinesphere::LimbChain::lower, &kinesphere::LimbChain::end,
       &kinesphere::LimbChain::attached, &kinesphere::LimbChain::hinge, &kinesphere::LimbChain::easy_share,
       &kinesphere::LimbChain::longest, &kinesphere::LimbChain::softness, &kinesphere::LimbChain::backward,
       &kinesphere::LimbChain::outward_sign);
