// How many terms have each count.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "counts/units.hpp"

namespace tercet {

using Histogram = std::map<Units, std::int64_t>;                  // for counts that change
using Frequencies = std::vector<std::pair<Units, std::int64_t>>;  // the same in a list, in rising order of the counts

class FrequencyCounter {
  public:
    void add(Units count) {
        const auto n = static_cast<std::size_t>(count / one);
        if (count % one != 0 || n >= max_whole) return others_.push_back(count);
        if (n >= whole_.size()) whole_.resize(n + 1);
        ++whole_[n];
    }

    // The counter is empty afterwards.
    Frequencies take() {
        Frequencies result;
        std::sort(others_.begin(), others_.end());
        auto next = others_.begin();
        const auto take_others = [&](Units below) {
            while (next != others_.end() && *next < below) {
                const auto last = std::upper_bound(next, others_.end(), *next);
                result.emplace_back(*next, last - next);
                next = last;
            }
        };
        for (std::size_t n = 0; n < whole_.size(); ++n) {
            if (whole_[n] == 0) continue;
            take_others(static_cast<Units>(n) * one);
            result.emplace_back(static_cast<Units>(n) * one, whole_[n]);
        }
        take_others(max_units);
        *this = {};
        return result;
    }

  private:
    static constexpr std::size_t max_whole = 4096;  // most counts are small whole numbers: these need no sorting
    std::vector<std::int64_t> whole_{};
    std::vector<Units> others_{};
};

}  // namespace tercet
