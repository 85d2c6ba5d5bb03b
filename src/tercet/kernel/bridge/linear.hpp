// Options of linear models that come from Python.
#pragma once
#include <cmath>
#include <map>
#include <string>

#include "bridge/arrays.hpp"
#include "linear/descent.hpp"
#include "linear/weighting.hpp"

namespace tercet {

inline const std::map<std::string, Damping> dampings{{"raw", Damping::raw}, {"log", Damping::log}, {"binary", Damping::binary}};
inline const std::map<std::string, Norm> norms{{"none", Norm::none}, {"l1", Norm::l1}, {"l2", Norm::l2}};

inline DescentOptions read_options(double bias, double tol, std::int64_t max_epochs, std::int64_t seed) {
    expect(std::isfinite(bias) && bias >= 0, "the bias must be finite and >= 0");
    expect(tol > 0 && std::isfinite(tol), "tol must be above 0");
    expect(max_epochs >= 1, "at least one epoch");
    return {bias, tol, max_epochs, static_cast<std::uint64_t>(seed)};
}

}  // namespace tercet
