// Filling of one triangle into a z-buffer, and whole numbers above and below a position.
#pragma once

#include "maths/binding.hpp"

namespace kinesphere {

struct ZBuffer {
    Array<float, 2> inverse_depth;  // (H, W) 1 / depth: more is nearer
    Array<std::int32_t, 2> ids;     // (H, W) number of the triangle
};

// std::floor and std::ceil as indices, without the calls that these are where the processor need not have SSE 4.1.
inline Index floor_index(double value) {
    const Index whole = static_cast<Index>(value);
    return whole - (static_cast<double>(whole) > value);
}
inline Index ceil_index(double value) {
    const Index whole = static_cast<Index>(value);
    return whole + (static_cast<double>(whole) < value);
}

// A number below 2⁵¹ rounded to a whole one, and std::ceil of it, in forms that compilers vectorise without SSE 4.1.
inline double round_whole(double value) {
    constexpr double magic = 6755399441055744.0;  // 1.5 × 2⁵²: doubles near it are whole numbers
    return (value + magic) - magic;
}
inline double ceil_whole(double value) {
    const double nearest = round_whole(value);
    return nearest < value ? nearest + 1.0 : nearest;
}

inline double least(double a, double b, double c) { return least(least(a, b), c); }
inline double most(double a, double b, double c) { return most(most(a, b), c); }

// A corner of a triangle on the picture.
struct Corner {
    double x, y;           // samples from the left and from the top
    double inverse_depth;  // or height towards a distant light
};

inline Corner read_corner(const double* c) { return {c[0], c[1], c[2]}; }

// Every sample of a triangle shows it.
struct Solid {
    bool operator()(Index, Index) const { return true; }
};

// Fill one triangle of either orientation into buffers (high, wide); a sample is tested at its centre. Without `ids`
// only depth is kept. `shows(row, column)` says whether a sample shows the triangle, and is asked last.
template <class Shows = Solid>
inline void fill_triangle(Corner p, Corner q, Corner r, std::int32_t number, float* inverse_depth, std::int32_t* ids,
                          Index high, Index wide, const Shows& shows = {}) {
    const double left = least(p.x, q.x, r.x), right = most(p.x, q.x, r.x);
    const double top = least(p.y, q.y, r.y), bottom = most(p.y, q.y, r.y);
    const double width = static_cast<double>(wide), height = static_cast<double>(high);
    if (!(right >= 0.0 && left <= width && bottom >= 0.0 && top <= height)) return;  // outside the picture, or NaN
    const double area = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
    if (!std::isfinite(area) || area == 0.0) return;
    // Rows and columns whose centres lie within the bounds.
    const Index first_column = ceil_index(most(left, 0.0) - 0.5), first_row = ceil_index(most(top, 0.0) - 0.5);
    const Index last_column = least(floor_index(least(right, width) - 0.5), wide - 1);
    const Index last_row = least(floor_index(least(bottom, height) - 0.5), high - 1);
    if (first_column > last_column || first_row > last_row) return;
    if (!std::isfinite(p.inverse_depth + q.inverse_depth + r.inverse_depth)) return;
    // Barycentric coordinates of the second and the third corner are linear over the picture.
    const double inverse_area = 1.0 / area;
    const double bx = (r.y - p.y) * inverse_area, by = (p.x - r.x) * inverse_area;
    const double cx = (p.y - q.y) * inverse_area, cy = (q.x - p.x) * inverse_area;
    const double dx = static_cast<double>(first_column) + 0.5 - p.x;
    const double first_b = bx * dx, first_c = cx * dx;
    for (Index row = first_row; row <= last_row; ++row) {
        const double dy = static_cast<double>(row) + 0.5 - p.y;
        double b = first_b + by * dy, c = first_c + cy * dy;
        bool entered = false;
        for (Index sample = row * wide + first_column; sample <= row * wide + last_column; ++sample) {
            const double a = 1.0 - b - c;
            if (a >= -1e-9 && b >= -1e-9 && c >= -1e-9) {
                const double nearness = a * p.inverse_depth + b * q.inverse_depth + c * r.inverse_depth;
                if (nearness > static_cast<double>(inverse_depth[sample]) && shows(row, sample - row * wide)) {
                    inverse_depth[sample] = static_cast<float>(nearness);
                    if (ids != nullptr) ids[sample] = number;
                }
                entered = true;
            } else if (entered) {
                break;  // a triangle has no gaps
            }
            b += bx;
            c += cx;
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ZBuffer, &kinesphere::ZBuffer::inverse_depth, &kinesphere::ZBuffer::ids);
