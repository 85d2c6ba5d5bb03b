// Pairs of texts that are nearly equal: the Jaccard similarity of their sets of shingles is at least a threshold.
//
// The first text of equal words stands for all its copies. Candidates are found by MinHash: in each band, texts with the same three
// smallest hashes are in one bucket, and the similarity of candidates is computed exactly. No result depends on the number of threads or,
// for texts without copies, on the order of the texts.
//
// Two bounds keep time and memory proportional to the texts. In a bucket, which is sorted at random, a text is compared with the next
// `reach` texts. Two texts that both have `enough` near copies from earlier bands are not compared.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/documents.hpp"
#include "base/threads.hpp"
#include "duplicates/shingles.hpp"

namespace tercet {

using ShingleSet = std::span<const Shingle>;  // sorted

inline double jaccard(ShingleSet a, ShingleSet b) {
    std::size_t shared = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        shared += a[i] == b[k];
        const bool next_a = a[i] <= b[k], next_b = b[k] <= a[i];
        i += next_a;
        k += next_b;
    }
    return static_cast<double>(shared) / static_cast<double>(a.size() + b.size() - shared);
}

class NearCopyFinder {
  public:
    using Link = std::uint64_t;  // two texts, the first in the upper half
    static constexpr std::size_t n_rows = 3, reach = 16, enough = 16;

    void add(Documents documents, std::size_t n_threads) {
        if (documents.size() >= max_ids - firsts_.size()) throw std::length_error("there are more than 2 billion texts");
        const std::vector<Range> ranges = split_documents(documents);
        std::vector<Part> parts(ranges.size());
        share_out(n_threads, ranges.size(), [&](std::size_t, std::size_t r) {
            ShingleReader reader;
            for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
                parts[r].prints.push_back(reader.read(documents[i], parts[r].shingles));
                parts[r].ends.push_back(parts[r].shingles.size());
            }
        });
        for (Part& part : parts) take(part);
    }

    // Compare the texts that are in one bucket of this band.
    void compare(std::uint64_t band, double threshold, std::size_t n_threads) {
        constexpr std::size_t n_shares = 64;
        std::vector<std::uint64_t> keys(texts_.size());
        share_out_blocks(n_threads, texts_.size(), 64, [&](std::size_t, std::size_t i) { keys[i] = find_bucket(shingles(i), band); });
        std::vector<std::vector<Link>> found(n_shares);
        share_out(n_threads, n_shares, [&](std::size_t, std::size_t share) {
            std::vector<Member> members;
            for (std::size_t i = 0; i < texts_.size(); ++i)
                if (keys[i] % n_shares == share) members.push_back({keys[i], mix_bits(texts_[i].print ^ salt(band)), static_cast<Id>(i)});
            found[share] = compare_members(members, threshold);
        });
        keep(found);
    }

    // The position of the first text with the same words, for each text.
    const std::vector<Id>& firsts() const { return firsts_; }

    // The pairs of positions that were found, in order. A copy has one pair: with the first text of the same words.
    std::vector<Link> list_pairs() const {
        std::vector<Link> pairs;
        for (std::size_t i = 0; i < firsts_.size(); ++i)
            if (firsts_[i] != i) pairs.push_back(make_link(firsts_[i], static_cast<Id>(i)));
        pairs.reserve(pairs.size() + links_.size());
        for (const Link link : links_) pairs.push_back(make_link(texts_[ends_of(link).first].position, texts_[ends_of(link).second].position));
        std::sort(pairs.begin(), pairs.end());
        return pairs;
    }

    // The similarity of a pair of `list_pairs`.
    double similarity(Link pair) const {
        const auto [first, second] = ends_of(pair);
        return firsts_[second] == first ? 1 : jaccard(shingles(find_text(first)), shingles(find_text(second)));
    }

    static std::pair<Id, Id> ends_of(Link link) { return {static_cast<Id>(link >> 32), static_cast<Id>(link)}; }

  private:
    struct PrintHash {
        std::size_t operator()(const Fingerprint& print) const { return static_cast<std::size_t>(print[0]); }
    };
    // What was read from neighbouring documents.
    struct Part {
        std::vector<Fingerprint> prints{};
        std::vector<std::size_t> ends{};
        std::vector<Shingle> shingles{};
    };
    // A text with shingles, the first of its copies.
    struct Distinct {
        Id position, block;
        std::size_t begin, size;  // of its shingles in the block
        std::uint64_t print;
    };
    struct Member {
        std::uint64_t bucket, order;
        Id text;
        bool operator<(const Member& other) const {
            if (bucket != other.bucket) return bucket < other.bucket;
            return order != other.order ? order < other.order : text < other.text;
        }
    };

    ShingleSet shingles(std::size_t i) const {
        const Distinct& text = texts_[i];
        return {blocks_[text.block].data() + text.begin, text.size};
    }
    // The number of the text at this position.
    std::size_t find_text(Id position) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(texts_, position, {}, &Distinct::position) - texts_.begin());
    }
    static Link make_link(Id first, Id second) { return Link{first} << 32 | second; }
    static std::uint64_t salt(std::uint64_t number) { return mix_bits(mix_bits(number)); }

    // Keep the shingles of texts that are not copies.
    void take(Part& part) {
        const Id block = static_cast<Id>(blocks_.size());
        std::vector<Shingle> kept;
        for (std::size_t i = 0, begin = 0; i < part.prints.size(); begin = part.ends[i++]) {
            const Id position = static_cast<Id>(firsts_.size());
            const auto [known, is_new] = known_.try_emplace(part.prints[i], position);
            firsts_.push_back(known->second);
            const std::size_t size = part.ends[i] - begin;
            if (!is_new || size == 0) continue;
            texts_.push_back({position, block, kept.size(), size, part.prints[i][0]});
            kept.insert(kept.end(), part.shingles.data() + begin, part.shingles.data() + begin + size);
        }
        part = {};
        kept.shrink_to_fit();
        blocks_.push_back(std::move(kept));
        n_links_.resize(texts_.size());
    }

    static std::uint64_t find_bucket(ShingleSet shingles, std::uint64_t band) {
        std::uint64_t salts[n_rows], smallest[n_rows];
        for (std::size_t row = 0; row < n_rows; ++row) {
            salts[row] = salt(band * n_rows + row);
            smallest[row] = ~std::uint64_t{0};
        }
        for (const Shingle shingle : shingles)
            for (std::size_t row = 0; row < n_rows; ++row) smallest[row] = std::min(smallest[row], mix_bits(shingle ^ salts[row]));
        std::uint64_t bucket = 0;
        for (const std::uint64_t hash : smallest) bucket = mix_bits(bucket ^ hash);
        return bucket;
    }

    std::vector<Link> compare_members(std::vector<Member>& members, double threshold) const {
        std::vector<Link> found;
        std::sort(members.begin(), members.end());
        for (std::size_t a = 0; a < members.size(); ++a) {
            const std::size_t end = std::min(members.size(), a + 1 + reach);
            for (std::size_t b = a + 1; b < end && members[a].bucket == members[b].bucket; ++b) {
                const auto [low, high] = std::minmax(members[a].text, members[b].text);
                const Link link = make_link(low, high);
                if (is_near(link, threshold)) found.push_back(link);
            }
        }
        return found;
    }

    // Whether these texts are near and have not been found before.
    bool is_near(Link link, double threshold) const {
        const auto [a, b] = ends_of(link);
        if (n_links_[a] >= enough && n_links_[b] >= enough) return false;
        const auto [fewer, more] = std::minmax(texts_[a].size, texts_[b].size);
        if (static_cast<double>(fewer) / static_cast<double>(more) < threshold) return false;
        return !std::binary_search(links_.begin(), links_.end(), link) && jaccard(shingles(a), shingles(b)) >= threshold;
    }

    void keep(const std::vector<std::vector<Link>>& found) {
        const auto n_known = static_cast<std::ptrdiff_t>(links_.size());
        for (const std::vector<Link>& links : found) {
            links_.insert(links_.end(), links.begin(), links.end());
            for (const Link link : links) {
                ++n_links_[ends_of(link).first];
                ++n_links_[ends_of(link).second];
            }
        }
        std::sort(links_.begin() + n_known, links_.end());
        std::inplace_merge(links_.begin(), links_.begin() + n_known, links_.end());
    }

    std::vector<Id> firsts_;
    std::unordered_map<Fingerprint, Id, PrintHash> known_;  // the position of the first text of each fingerprint
    std::vector<Distinct> texts_;
    std::vector<std::vector<Shingle>> blocks_;
    std::vector<std::uint32_t> n_links_;  // of each text
    std::vector<Link> links_;             // between numbers of texts, sorted
};

}  // namespace tercet
