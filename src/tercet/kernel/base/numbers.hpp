// Constants that several headers need.
#pragma once
#include <limits>

namespace tercet {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace tercet
