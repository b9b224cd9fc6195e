// Colours of a surface: tints of vertices and base-colour textures with mip levels, as loops take them from paint.py.
#pragma once

#include "maths/binding.hpp"
#include "maths/rotations.hpp"
#include "pictures/camera.hpp"

namespace kinesphere {

struct Paint {
    Floats<2> coordinates;                 // (V, 2) on the texture: right and down, 0 to 1
    Floats<2> tints;                       // (V, 4) linear colour and opacity that texels are multiplied by
    Array<const std::int32_t, 1> numbers;  // (F,) material of each triangle
    // (M, 6) first mip level and how many; how coordinates go on across and down beyond 0 to 1; what opacity does;
    // and the sum of flags. Each is one of the constants below.
    Array<const std::int32_t, 2> materials;
    Floats<1> cutoffs;                    // (M,) opacity from which on a masked material shows
    Ints<2> levels;                       // (L, 3) first texel, rows and columns
    Array<const std::uint8_t, 2> texels;  // (N, 4) sRGB and opacity
    Floats<1> decoded;                    // (256,) linear light of an sRGB byte
};

enum Wrap : std::int32_t { REPEAT, CLAMP, MIRROR };
enum Transparency : std::int32_t { OPAQUE, MASK, BLEND };
enum Flag : std::int32_t { DOUBLE_SIDED = 1, UNLIT = 2, NEAREST = 4 };

// Linear colour and opacity.
struct Tint {
    Vec3 colour;
    double opacity;
};

// Where a ray from the eye meets a triangle: the corners' weights, and whether it is seen from inside.
struct Meeting {
    double u, v, w;
    bool inside;
};

// The ray (dx, dy, 1) meets the triangle's plane where these three volumes weigh the corners.
inline Meeting meet_triangle(Vec3 ray, Vec3 first, Vec3 second, Vec3 third) {
    double u = dot(ray, cross(second, third)), v = dot(ray, cross(third, first)), w = dot(ray, cross(first, second));
    double total = u + v + w;
    const bool inside = total < 0.0;
    if (std::abs(total) < 1e-300) u = 1.0, v = 1.0, w = 1.0, total = 3.0;
    const double over = 1.0 / total;
    return {most(u * over, 0.0), most(v * over, 0.0), most(w * over, 0.0), inside};
}

inline Index wrap_index(Index at, Index count, std::int32_t how) {
    if (how == CLAMP) return least(most(at, Index{0}), count - 1);
    const Index period = how == MIRROR ? 2 * count : count;
    at %= period;
    if (at < 0) at += period;
    return at < count ? at : period - 1 - at;
}

// One mip level of a texture.
struct TextureLevel {
    const std::uint8_t* texels;  // (rows, columns, 4)
    Index rows, columns;

    TextureLevel(const Paint& paint, Index level)
        : texels(paint.texels.at(paint.levels(level, 0))),
          rows(paint.levels(level, 1)),
          columns(paint.levels(level, 2)) {}
};

// A level between its texels, or its nearest texel. Clear texels have no colour, unless the material is opaque.
inline Tint sample_level(const TextureLevel& level, double x, double y, const std::int32_t* material, bool nearest,
                         const double* decoded) {
    const double column = x * static_cast<double>(level.columns) - (nearest ? 0.0 : 0.5);
    const double row = y * static_cast<double>(level.rows) - (nearest ? 0.0 : 0.5);
    const double left = std::floor(column), top = std::floor(row);
    const double across = nearest ? 0.0 : column - left, down = nearest ? 0.0 : row - top;
    Vec3 colour = {0.0, 0.0, 0.0};
    double opacity = 0.0, total = 0.0;
    for (int k = 0; k < (nearest ? 1 : 4); ++k) {
        const Index i = wrap_index(static_cast<Index>(top) + k / 2, level.rows, material[3]);
        const Index j = wrap_index(static_cast<Index>(left) + k % 2, level.columns, material[2]);
        const std::uint8_t* const texel = level.texels + 4 * (i * level.columns + j);
        const double weight = (k % 2 ? across : 1.0 - across) * (k / 2 ? down : 1.0 - down);
        const double shown = weight * static_cast<double>(texel[3]) * (1.0 / 255.0);
        const double share = material[4] == OPAQUE ? weight : shown;
        colour = colour + share * Vec3{decoded[texel[0]], decoded[texel[1]], decoded[texel[2]]};
        opacity += shown, total += share;
    }
    return {total > 0.0 ? 1.0 / total * colour : colour, opacity};
}

// Colour and opacity of a triangle where its corners have these weights. `detail` is how many texels of the first level
// a pixel covers, as a power of two: mip levels are mixed by it.
inline Tint sample_paint(const Paint& paint, std::int32_t number, const Index* triangle, const Meeting& at,
                         double detail) {
    const std::int32_t* const material = paint.materials.at(number);
    const auto weighted = [&](const double* values, Index width, Index k) {
        return at.u * values[width * triangle[0] + k] + at.v * values[width * triangle[1] + k] +
               at.w * values[width * triangle[2] + k];
    };
    const double* const tints = paint.tints.data;
    const Tint tint = {{weighted(tints, 4, 0), weighted(tints, 4, 1), weighted(tints, 4, 2)}, weighted(tints, 4, 3)};
    const Index count = material[1];
    if (count == 0) return tint;
    double x = weighted(paint.coordinates.data, 2, 0), y = weighted(paint.coordinates.data, 2, 1);
    if (!(std::abs(x) < 1e6 && std::abs(y) < 1e6)) x = 0.0, y = 0.0;
    const double level = clamp(detail, 0.0, static_cast<double>(count - 1));
    const Index fine = static_cast<Index>(level);
    const double coarser = level - static_cast<double>(fine);
    const bool nearest = (material[5] & NEAREST) != 0 && !(detail > 0.0);
    const double* const decoded = paint.decoded.data;
    Tint texel = sample_level(TextureLevel(paint, material[0] + fine), x, y, material, nearest, decoded);
    if (coarser > 0.0) {
        const Tint other = sample_level(TextureLevel(paint, material[0] + fine + 1), x, y, material, false, decoded);
        texel.colour = texel.colour + coarser * (other.colour - texel.colour);
        texel.opacity += coarser * (other.opacity - texel.opacity);
    }
    const Vec3 colour = {tint.colour.x * texel.colour.x, tint.colour.y * texel.colour.y,
                         tint.colour.z * texel.colour.z};
    return {colour, tint.opacity * texel.opacity};
}

// How many texels of a triangle's texture fall on one pixel, as a power of two along a side: by the ratio of areas.
// `points (V, 3)` are in the camera's frame.
inline double texture_detail(const Paint& paint, std::int32_t number, const Index* triangle, Floats<2> points,
                             const Projection& view, Index supersampling) {
    const std::int32_t* const material = paint.materials.at(number);
    if (material[1] == 0) return 0.0;
    double x[3], y[3], s[3], t[3];
    for (int k = 0; k < 3; ++k) {
        const double *const point = points.at(triangle[k]), *const at = paint.coordinates.at(triangle[k]);
        const double scale = view.focal / (most(point[2], view.near_plane) * static_cast<double>(supersampling));
        x[k] = point[0] * scale, y[k] = point[1] * scale;
        s[k] = at[0] * static_cast<double>(paint.levels(material[0], 2));
        t[k] = at[1] * static_cast<double>(paint.levels(material[0], 1));
    }
    const double pixels = std::abs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
    const double texels = std::abs((s[1] - s[0]) * (t[2] - t[0]) - (s[2] - s[0]) * (t[1] - t[0]));
    // A triangle that is seen edge-on, or that has one texel for all of it, says nothing.
    return pixels > 1e-12 && texels > 1e-12 ? 0.5 * std::log2(texels / pixels) : 0.0;
}

}  // namespace kinesphere

FIELDS(kinesphere::Paint, &kinesphere::Paint::coordinates, &kinesphere::Paint::tints, &kinesphere::Paint::numbers,
       &kinesphere::Paint::materials, &kinesphere::Paint::cutoffs, &kinesphere::Paint::levels,
       &kinesphere::Paint::texels, &kinesphere::Paint::decoded);
