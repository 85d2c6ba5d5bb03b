// Options that come as names: "nfc", "hinge" …
#pragma once
#include <map>
#include <stdexcept>
#include <string>

namespace tercet {

// The value of a name. An unknown name is an error.
template <class Choice>
Choice choose(const std::map<std::string, Choice>& choices, const std::string& name) {
    const auto found = choices.find(name);
    if (found == choices.end()) throw std::invalid_argument("no such choice: " + name);
    return found->second;
}

}  // namespace tercet
