// A fingerprint of 128 bits for a text. It is the same on every machine. It tells texts apart, but it does not protect against
// someone who constructs two texts with the same fingerprint.
#pragma once
#include <array>
#include <bit>

#include "base/hashing.hpp"

namespace tercet {

using Fingerprint = std::array<std::uint64_t, 2>;

class Fingerprinter {
  public:
    static Fingerprint of(Bytes text) {
        // Two states, each for every second block of 16 bytes: the processor can work on both at the same time.
        Fingerprinter state, other{root3, root2};
        std::size_t i = 0;
        for (; i + 32 <= text.size(); i += 32) {
            state.mix(load_little(text.data() + i), load_little(text.data() + i + 8));
            other.mix(load_little(text.data() + i + 16), load_little(text.data() + i + 24));
        }
        state.mix(other.a_, other.b_);
        for (; i + 16 <= text.size(); i += 16) state.mix(load_little(text.data() + i), load_little(text.data() + i + 8));
        char rest[16] = {};
        if (i < text.size()) std::memcpy(rest, text.data() + i, text.size() - i);  // the data of an empty text may be null
        state.mix(load_little(rest), load_little(rest + 8));
        for (int round = 0; round < 3; ++round) state.mix(text.size(), ~std::uint64_t{text.size()});
        return {state.a_, state.b_};
    }

  private:
    Fingerprinter() = default;
    Fingerprinter(std::uint64_t a, std::uint64_t b) : a_(a), b_(b) {}

    // Constants without a pattern: the fractional parts of √2, √3, √5 and √7.
    static constexpr std::uint64_t root2 = 0x6A09E667F3BCC908, root3 = 0xBB67AE8584CAA73B, root5 = 0x3C6EF372FE94F82B,
                                   root7 = 0xA54FF53A5F1D36F1;

    void mix(std::uint64_t x, std::uint64_t y) {
        const std::uint64_t a = fold_product(a_ ^ x, root5) ^ b_;
        b_ = fold_product(b_ ^ y, root7) + a;
        a_ = a;
    }
    static std::uint64_t load_little(const char* p) {
        if constexpr (std::endian::native == std::endian::little) return load64(p);
        std::uint64_t value = 0;
        for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(p[i]);
        return value;
    }

    std::uint64_t a_ = root2, b_ = root3;
};

}  // namespace tercet
