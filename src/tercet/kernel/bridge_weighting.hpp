// What is done to counts, by name.
#pragma once
#include "bridge.hpp"
#include "weighting.hpp"

namespace tercet {

inline Damping read_damping(const std::string& name) {
    return choose<Damping>({{"raw", Damping::raw}, {"log", Damping::log}, {"binary", Damping::binary}}, name);
}

inline Norm read_norm(const std::string& name) {
    return choose<Norm>({{"none", Norm::none}, {"l1", Norm::l1}, {"l2", Norm::l2}}, name);
}

}  // namespace tercet
