// A sum of doubles in twice their precision, so that small numbers stay exact after large ones were added and subtracted.
#pragma once

namespace tercet {

struct PreciseSum {
    double high = 0, low = 0;  // low is what rounding has lost

    void add(double number) {
        const double sum = high + number, added = sum - high;
        low += (high - (sum - added)) + (number - added);
        high = sum;
    }
    double to_number() const { return high + low; }
};

}  // namespace tercet
