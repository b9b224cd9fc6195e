// Rasterisation: triangles into a z-buffer, shadow masks on the floor, anti-aliased lines.
#include "pictures/rasterise.hpp"

#include "maths/rotations.hpp"
#include "pictures/camera.hpp"
#include "pictures/paint.hpp"

namespace kinesphere {

// Sample position and 1 / depth of a point in the camera's frame.
static Corner project_sample(Vec3 point, const Projection& view) {
    const double inverse = 1.0 / point.z;
    return {view.x + view.focal * point.x * inverse, view.y - view.focal * point.y * inverse, inverse};
}

// Sutherland–Hodgman: the part of a triangle beyond the near plane, three or four corners. Returns how many.
static int clip_to_near_plane(const Vec3 (&triangle)[3], const Projection& view, Corner (&corners)[4]) {
    const double near_plane = view.near_plane;
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const Vec3 a = triangle[k], b = triangle[(k + 1) % 3];
        if (a.z > near_plane) corners[count++] = project_sample(a, view);
        if ((a.z > near_plane) != (b.z > near_plane)) {
            const double u = (near_plane - a.z) / (b.z - a.z);
            corners[count++] = project_sample({a.x + u * (b.x - a.x), a.y + u * (b.y - a.y), near_plane}, view);
        }
    }
    return count;
}

// Project points (V, 3) in the camera's frame to `corners (V, 3)` on the picture.
static void project_points(Floats<2> points, const Projection& view, FloatsOut<2> corners) {
    for (Index i = 0; i < points.shape[0]; ++i) {
        const auto [x, y, inverse] = project_sample(read_vector(points.at(i)), view);
        write_vector(corners.at(i), {x, y, inverse});
    }
}

// Draw one of the triangles, clipped at the near plane, unless a vertex of it is not finite.
template <class Shows = Solid>
static void fill_projected(Index number, const Index* triangle, Floats<2> points, FloatsOut<2> corners,
                           const Projection& view, const ZBuffer& buffer, const Shows& shows = {}) {
    const Index high = buffer.ids.shape[0], wide = buffer.ids.shape[1], a = triangle[0], b = triangle[1];
    const Index c = triangle[2];
    const double near_plane = view.near_plane, za = points(a, 2), zb = points(b, 2), zc = points(c, 2);
    const std::int32_t id = static_cast<std::int32_t>(number);
    if (za > near_plane && zb > near_plane && zc > near_plane) {
        fill_triangle(read_corner(corners.at(a)), read_corner(corners.at(b)), read_corner(corners.at(c)), id,
                      buffer.inverse_depth.data, buffer.ids.data, high, wide, shows);
    } else if ((za > near_plane || zb > near_plane || zc > near_plane) && std::isfinite(za + zb + zc)) {
        Corner clipped[4];
        const int count = clip_to_near_plane(
            {read_vector(points.at(a)), read_vector(points.at(b)), read_vector(points.at(c))}, view, clipped);
        for (int k = 1; k < count - 1; ++k) {
            fill_triangle(clipped[0], clipped[k], clipped[k + 1], id, buffer.inverse_depth.data, buffer.ids.data, high,
                          wide, shows);
        }
    }
}

// Draw triangles (F, 3) of points (V, 3) in the camera's frame (right, up, depth) into a z-buffer. Triangles are
// clipped at the near plane; those with a vertex that is not finite are left out.
static void fill_perspective(Floats<2> points, Ints<2> triangles, const Projection& view, const ZBuffer& buffer) {
    Scratch<double, 2> corners(points.shape[0], 3);
    project_points(points, view, corners);
    for (Index t = 0; t < triangles.shape[0]; ++t) {
        fill_projected(t, triangles.at(t), points, corners, view, buffer);
    }
}

// The opacity from which on a sample of a pixel shows what is partly clear: as many samples show it as it is opaque.
// Another material shows in other samples, so that one behind the other shines through.
static double sample_threshold(Index row, Index column, Index supersampling, std::int32_t number) {
    const Index count = supersampling * supersampling;
    const Index place = row % supersampling * supersampling + column % supersampling;
    const Index order = (place * (count > 4 ? 5 : 3) + 3 * number) % count;  // neighbours are far apart
    return (static_cast<double>(order) + 0.5) / static_cast<double>(count);
}

// The same with paint: triangles of one-sided materials are left out where they are seen from behind, and samples where
// a masked material is clear, or a blended one as often as it is clear.
static void fill_painted(Floats<2> points, Ints<2> triangles, const Projection& view, const Paint& paint,
                         Index supersampling, const ZBuffer& buffer) {
    Scratch<double, 2> corners(points.shape[0], 3);
    project_points(points, view, corners);
    for (Index t = 0; t < triangles.shape[0]; ++t) {
        const Index* const triangle = triangles.at(t);
        const std::int32_t number = paint.numbers(t), *const material = paint.materials.at(number);
        const Vec3 first = read_vector(points.at(triangle[0])), second = read_vector(points.at(triangle[1]));
        const Vec3 third = read_vector(points.at(triangle[2]));
        if ((material[5] & DOUBLE_SIDED) == 0 && dot(first, cross(second, third)) < 0.0) continue;
        if (material[4] == OPAQUE) {
            fill_projected(t, triangle, points, corners, view, buffer);
            continue;
        }
        const double detail = texture_detail(paint, number, triangle, points, view, supersampling);
        const auto shows = [&](Index row, Index column) {
            const Vec3 ray = {(static_cast<double>(column) + 0.5 - view.x) / view.focal,
                              (view.y - static_cast<double>(row) - 0.5) / view.focal, 1.0};
            const double opacity =
                sample_paint(paint, number, triangle, meet_triangle(ray, first, second, third), detail).opacity;
            return opacity >=
                   (material[4] == MASK ? paint.cutoffs(number) : sample_threshold(row, column, supersampling, number));
        };
        fill_projected(t, triangle, points, corners, view, buffer, shows);
    }
}

// A square grid of texels on the floor.
struct FloorMap {
    double height;     // of the floor, metres
    Floats<1> corner;  // (2,) where the grid starts, x and z
    double texel;      // metres
};

constexpr Index MOST_LIGHTS = 64;  // as many as a texel of a mask has bits

// One triangle's shadows, in texels, for each light. Barycentric coordinates of the second and the third corner are
// linear over the floor: b and c at the first texel, and how they change along columns (x) and rows (y).
struct ShadowTriangles {
    double b[MOST_LIGHTS], bx[MOST_LIGHTS], by[MOST_LIGHTS], c[MOST_LIGHTS], cx[MOST_LIGHTS], cy[MOST_LIGHTS];
    double first_column[MOST_LIGHTS], first_row[MOST_LIGHTS];  // whose centres lie within the bounds
    double last_column[MOST_LIGHTS], last_row[MOST_LIGHTS];    // the same, but for the part below a whole number
    double covered[MOST_LIGHTS];                               // below 0 where the bounds contain no centre
};

// Planar shadows: set in `mask` the bit of each light that triangles hide from a texel, of which there are (side, side)
// with `stride` from row to row. One more row and column are read and written.
//
// `directions (L, 3)` point to at most 64 distant lights. A light's shadow is the surface projected along its rays onto
// the floor. Many lights side by side give the soft shadow of an area light: sharp where things touch the floor, softer
// the higher they are.
static void fill_mask(Floats<2> points, Ints<2> triangles, Floats<2> directions, const FloorMap& floor, Index side,
                      std::uint64_t* mask, Index stride) {
    const double over = 1.0 / floor.texel, ground = floor.height, x0 = floor.corner(0), z0 = floor.corner(1);
    const double size = static_cast<double>(side);
    const Index lights = directions.shape[0];
    double slope_x[MOST_LIGHTS], slope_z[MOST_LIGHTS];
    for (Index light = 0; light < lights; ++light) {
        slope_x[light] = over * directions(light, 0) / directions(light, 1);
        slope_z[light] = over * directions(light, 2) / directions(light, 1);
    }
    ShadowTriangles shadow;
    for (Index t = 0; t < triangles.shape[0]; ++t) {
        const Vec3 p = read_vector(points.at(triangles(t, 0))), q = read_vector(points.at(triangles(t, 1)));
        const Vec3 r = read_vector(points.at(triangles(t, 2)));
        const double hp = most(p.y - ground, 0.0), hq = most(q.y - ground, 0.0), hr = most(r.y - ground, 0.0);
        const double xp = (p.x - x0) * over, xq = (q.x - x0) * over, xr = (r.x - x0) * over;
        const double zp = (p.z - z0) * over, zq = (q.z - z0) * over, zr = (r.z - z0) * over;
        if (!std::isfinite(hp + hq + hr + xp + xq + xr + zp + zq + zr)) continue;
        for (Index light = 0; light < lights; ++light) {
            const double x = slope_x[light], z = slope_z[light];
            const double px = xp - hp * x, qx = xq - hq * x, rx = xr - hr * x;
            const double py = zp - hp * z, qy = zq - hq * z, ry = zr - hr * z;
            const double first_column = ceil_whole(most(least(px, qx, rx), 0.0) - 0.5);
            const double first_row = ceil_whole(most(least(py, qy, ry), 0.0) - 0.5);
            const double last_column = least(most(px, qx, rx), size) - 0.5;
            const double last_row = least(most(py, qy, ry), size) - 0.5;
            const double area = (qx - px) * (ry - py) - (rx - px) * (qy - py), inverse_area = 1.0 / area;
            const double covered = least(last_column - first_column, last_row - first_row);
            const double bx = (ry - py) * inverse_area, by = (px - rx) * inverse_area;
            const double cx = (py - qy) * inverse_area, cy = (qx - px) * inverse_area;
            const double dx = first_column + 0.5 - px, dy = first_row + 0.5 - py;
            shadow.bx[light] = bx, shadow.by[light] = by, shadow.b[light] = bx * dx + by * dy;
            shadow.cx[light] = cx, shadow.cy[light] = cy, shadow.c[light] = cx * dx + cy * dy;
            shadow.first_column[light] = first_column, shadow.last_column[light] = last_column;
            shadow.first_row[light] = first_row, shadow.last_row[light] = last_row;
            shadow.covered[light] = std::abs(area) > 1e-300 ? covered : -1.0;
        }
        for (Index light = 0; light < lights; ++light) {
            if (!(shadow.covered[light] >= 0.0)) continue;
            const std::uint64_t bit = std::uint64_t{1} << light;
            const double bx = shadow.bx[light], by = shadow.by[light], cx = shadow.cx[light], cy = shadow.cy[light];
            const double first_column = shadow.first_column[light], last_column = shadow.last_column[light];
            const double first_row = shadow.first_row[light], last_row = shadow.last_row[light];
            std::uint64_t* texels = mask + static_cast<Index>(first_row) * stride + static_cast<Index>(first_column);
            double row_b = shadow.b[light], row_c = shadow.c[light];
            // Two rows and two columns at a time, which are most often all.
            for (double row = first_row; row <= last_row; row += 2.0) {
                double b = row_b, c = row_c;
                std::uint64_t* block = texels;
                for (double column = first_column; column <= last_column; column += 2.0) {
                    const double bs[] = {b, b + bx, b + by, b + by + bx}, cs[] = {c, c + cx, c + cy, c + cy + cx};
                    std::uint64_t bits[4];
                    for (int k = 0; k < 4; ++k) {
                        bits[k] = least(bs[k], cs[k], 1.0 - (bs[k] + cs[k])) >= -1e-9 ? bit : 0;
                    }
                    block[0] |= bits[0], block[1] |= bits[1];
                    block[stride] |= bits[2], block[stride + 1] |= bits[3];
                    b += 2.0 * bx, c += 2.0 * cx;
                    block += 2;
                }
                row_b += 2.0 * by, row_c += 2.0 * cy;
                texels += 2 * stride;
            }
        }
    }
}

// How many bits are set, without an instruction that the processor need not have.
static int count_bits(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2) & 0x3333333333333333U);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FU;
    return static_cast<int>((bits * 0x0101010101010101U) >> 56);
}

// The share `(N, N)` of distant lights in `directions (L, 3)` that triangles hide from each texel of the floor.
static void fill_shadow(Floats<2> points, Ints<2> triangles, Floats<2> directions, const FloorMap& floor,
                        Array<float, 2> shadow) {
    const Index side = shadow.shape[0], lights = directions.shape[0];
    for (Index texel = 0; texel < shadow.size(); ++texel) shadow.data[texel] = 0.0F;
    for (Index first = 0; first < lights; first += MOST_LIGHTS) {
        Floats<2> some = directions;
        some.data = directions.at(first), some.shape[0] = least(MOST_LIGHTS, lights - first);
        Scratch<std::uint64_t, 2> mask(side + 1, side + 1);
        fill_mask(points, triangles, some, floor, side, mask.data, side + 1);
        for (Index row = 0; row < side; ++row) {
            const std::uint64_t* const hidden = mask.at(row);
            float* const count = shadow.at(row);
            for (Index column = 0; column < side; ++column) {
                if (hidden[column] != 0) count[column] += static_cast<float>(count_bits(hidden[column]));
            }
        }
    }
    const double share = 1.0 / static_cast<double>(lights);
    for (Index texel = 0; texel < shadow.size(); ++texel) {
        shadow.data[texel] = static_cast<float>(static_cast<double>(shadow.data[texel]) * share);
    }
}

// A polyline on the picture. A NaN position is a gap.
struct Line {
    Floats<1> x, y;           // (N,) samples from the left and from the top
    Floats<1> inverse_depth;  // (N,)
    Floats<1> width;          // (N,) samples
    Floats<1> opacity;        // (N,) 0 to 1
};

// Draw an anti-aliased line into `coverage (H, W)` where no surface of `inverse_depth` is nearer. Where it crosses
// itself the greater coverage stays, so that overlaps don't darken.
static void draw_line(const Line& line, Array<const float, 2> inverse_depth, Array<float, 2> coverage) {
    const Index high = inverse_depth.shape[0], wide = inverse_depth.shape[1];
    for (Index i = 0; i + 1 < line.x.shape[0]; ++i) {
        const double x = line.x(i), y = line.y(i), next_x = line.x(i + 1), next_y = line.y(i + 1);
        const double depth = line.inverse_depth(i), deeper = line.inverse_depth(i + 1) - depth;
        if (!std::isfinite(x + y + next_x + next_y + depth + line.inverse_depth(i + 1))) continue;
        const double width = line.width(i), wider = line.width(i + 1) - width;
        const double opacity = line.opacity(i), denser = line.opacity(i + 1) - opacity;
        const double reach = 0.5 * most(width, line.width(i + 1)) + 1.0;
        const double right = static_cast<double>(wide - 1), bottom = static_cast<double>(high - 1);
        const Index first_column = static_cast<Index>(clamp(least(x, next_x) - reach, 0.0, right));
        const Index last_column = static_cast<Index>(clamp(most(x, next_x) + reach, 0.0, right));
        const Index first_row = static_cast<Index>(clamp(least(y, next_y) - reach, 0.0, bottom));
        const Index last_row = static_cast<Index>(clamp(most(y, next_y) + reach, 0.0, bottom));
        const double dx = next_x - x, dy = next_y - y;
        const double over = 1.0 / most(dx * dx + dy * dy, 1e-12);
        for (Index row = first_row; row <= last_row; ++row) {
            const double py = static_cast<double>(row) + 0.5 - y;
            for (Index column = first_column; column <= last_column; ++column) {
                const double px = static_cast<double>(column) + 0.5 - x;
                const double u = clamp((px * dx + py * dy) * over, 0.0, 1.0);
                const double squared = square(px - u * dx) + square(py - u * dy);
                const double edge = 0.5 * (width + u * wider) + 0.5;
                if (squared >= edge * edge || depth + u * deeper < static_cast<double>(inverse_depth(row, column))) {
                    continue;
                }
                const double strength = least(edge - std::sqrt(squared), 1.0) * (opacity + u * denser);
                float& covered = coverage(row, column);
                if (strength > static_cast<double>(covered)) covered = static_cast<float>(strength);
            }
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::FloorMap, &kinesphere::FloorMap::height, &kinesphere::FloorMap::corner,
       &kinesphere::FloorMap::texel);
FIELDS(kinesphere::Line, &kinesphere::Line::x, &kinesphere::Line::y, &kinesphere::Line::inverse_depth,
       &kinesphere::Line::width, &kinesphere::Line::opacity);

namespace kinesphere {

KERNELS(rasterise) {
    return {
        kernel<fill_perspective>("fill_perspective"),
        kernel<fill_painted>("fill_painted"),
        kernel<fill_shadow>("fill_shadow"),
        kernel<draw_line>("draw_line"),
    };
}

}  // namespace kinesphere
