// The loop over the bytes of a text that reads its numbers.
#include <limits>

#include "maths/binding.hpp"

namespace kinesphere {

using Byte = std::uint8_t;

// The powers of ten that a double holds exactly.
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(Byte byte) { return byte >= '0' && byte <= '9'; }
static bool is_space(Byte byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

namespace {

// A token's digits, as whole number and power of ten. Beyond 18 digits the whole number would overflow; such tokens are
// left to the caller anyway.
struct Decimal {
    Index mantissa = 0, digits = 0, exponent = 0;
    bool valid = false;

    void append(Byte byte) {
        if (digits < 18) mantissa = 10 * mantissa + (byte - '0');
        if (mantissa > 0) ++digits;
        valid = true;
    }

    // Whether it is rounded correctly by one multiplication or division: a whole number below 2⁵³ times or over an
    // exact power of ten is rounded once (Clinger 1990).
    bool is_simple() const { return valid && digits <= 15 && exponent >= -22 && exponent <= 22; }

    double value() const {
        const double whole = static_cast<double>(mantissa);
        return exponent >= 0 ? whole * POWERS[exponent] : whole / POWERS[-exponent];
    }
};

}  // namespace

// Read what is a decimal at `at`, up to the first byte that is not part of it.
static Decimal read_decimal(const Byte*& at, const Byte* end) {
    Decimal read;
    for (; at < end && is_digit(*at); ++at) read.append(*at);
    if (at < end && *at == '.') {
        for (++at; at < end && is_digit(*at); ++at, --read.exponent) read.append(*at);
    }
    if (read.valid && at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        const bool negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) ++at;
        Index power = 0;
        read.valid = at < end && is_digit(*at);
        for (; at < end && is_digit(*at); ++at) power = least(10 * power + (*at - '0'), Index{10000});
        read.exponent += negative ? -power : power;
    }
    return read;
}

// Read the numbers of a text from byte `progress[0]` on, until its end or until there is no more room in `unread`.
//
// `progress (6,)` are the byte to go on from, how many values and lines with values were read, the number of the line,
// how many values are on it, and how many tokens are in `unread`. Values are counted by line in `line_ends` and
// `line_numbers`. What one rounding does not read correctly, and what is no number, is NaN and listed in `unread`
// (index of the value, start, end) for the caller.
static void parse_numbers(Array<const Byte, 1> text, IntsOut<1> progress, FloatsOut<1> values, IntsOut<1> line_ends,
                          IntsOut<1> line_numbers, IntsOut<2> unread) {
    const Byte *const begin = text.data, *const end = begin + text.shape[0];
    const Byte* at = begin + progress(0);
    Index count = progress(1), lines = progress(2), line = progress(3), on_line = progress(4), left = 0;
    const auto end_line = [&] {
        if (on_line > 0) {
            line_ends(lines) = count;
            line_numbers(lines) = line;
            ++lines;
            on_line = 0;
        }
    };
    while (at < end && left < unread.shape[0]) {
        const Byte byte = *at;
        if (byte == '\n' || byte == '\r') {
            end_line();
            ++line;
            ++at;
            if (byte == '\r' && at < end && *at == '\n') ++at;
            continue;
        }
        if (is_space(byte)) {
            ++at;
            continue;
        }
        const Byte* const start = at;
        if (byte == '-' || byte == '+') ++at;
        const Decimal decimal = read_decimal(at, end);
        if (decimal.is_simple() && (at == end || is_space(*at))) {
            values(count) = byte == '-' ? -decimal.value() : decimal.value();
        } else {
            while (at < end && !is_space(*at)) ++at;
            values(count) = std::numeric_limits<double>::quiet_NaN();
            unread(left, 0) = count;
            unread(left, 1) = start - begin;
            unread(left, 2) = at - begin;
            ++left;
        }
        ++count;
        ++on_line;
    }
    if (at == end) end_line();
    const Index now[] = {at - begin, count, lines, line, on_line, left};
    for (Index i = 0; i < 6; ++i) progress(i) = now[i];
}

KERNELS(bvh_rows) { return {kernel<parse_numbers>("parse_numbers")}; }

}  // namespace kinesphere
