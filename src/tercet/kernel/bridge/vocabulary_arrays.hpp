// A vocabulary as Python arrays. They may be part of a file that is mapped into memory.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bridge/arrays.hpp"
#include "terms/frozen_vocabulary.hpp"

namespace tercet {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

// The arrays of a vocabulary by name, as `copy` gives them. Kinds without terms are left out.
class VocabularyArrays {
  public:
    explicit VocabularyArrays(const Arrays& arrays) : arrays_(arrays) {}

    Vocabulary open(std::size_t n_terms) const {
        Vocabulary vocabulary;
        if (has("words.ends")) vocabulary.tables.words = StringTable(open_strings("words"));
        if (has("ngrams.pairs")) vocabulary.tables.ngrams = PairTable(open_pairs("ngrams"));
        if (has("characters.ends")) vocabulary.tables.characters = StringTable(open_strings("characters"));
        if (has("features.ends")) vocabulary.tables.features = StringTable(open_strings("features"));
        std::vector<bool> met(n_terms);
        for (Kind kind : kinds) {
            const std::string name = std::string(names[static_cast<int>(kind)]) + ".terms";
            vocabulary.columns[kind].resize(vocabulary.tables.size(kind), none);
            if (!has(name)) continue;
            const auto columns = get<std::uint32_t>(name);
            expect(columns.size() == vocabulary.tables.size(kind), "each spelling needs a term or none");
            for (std::size_t id = 0; id < columns.size(); ++id) {
                const Id column = columns(id);
                vocabulary.columns[kind][id] = column;
                if (column == none) continue;
                expect(column < n_terms && !met[column], "no such term, or it is there twice");
                met[column] = true;
            }
        }
        expect(std::find(met.begin(), met.end(), false) == met.end(), "a term has no spelling");
        vocabulary.columns.n = static_cast<Id>(n_terms);
        return vocabulary;
    }

    static Arrays copy(const Freezing& frozen) {
        Arrays arrays;
        for (Kind kind : kinds) {
            const FrozenKind& own = frozen[kind];
            if (own.columns.empty()) continue;
            copy_spellings(kind, own, arrays);
            put(arrays, kind, "seed", copy_array<std::uint64_t>(std::array{own.seed.a, own.seed.b}));
            put(arrays, kind, "slots", copy_pairs(own.slots));
        }
        return arrays;
    }

    // The same of one kind, without its hash table.
    static void copy_spellings(Kind kind, const FrozenKind& own, Arrays& arrays) {
        if (own.columns.empty()) return;
        if (kind == Kind::ngram) {
            put(arrays, kind, "pairs", copy_pairs(own.pairs));
        } else {
            put(arrays, kind, "bytes", copy_array<std::uint8_t>(own.bytes));
            put(arrays, kind, "ends", copy_array<std::uint64_t>(own.ends));
        }
        put(arrays, kind, "terms", copy_array<std::uint32_t>(own.columns));
    }

  private:
    static constexpr std::array names{"words", "ngrams", "characters", "features"};
    template <class T>
    using Pairs = nb::ndarray<const T, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

    template <class Array>
    static void put(Arrays& arrays, Kind kind, const char* what, Array array) {
        arrays[nb::str((std::string(names[static_cast<int>(kind)]) + "." + what).c_str())] = nb::cast(array);
    }
    bool has(const std::string& name) const { return arrays_.contains(name.c_str()); }
    template <class Array>
    Array read(const std::string& name) const {
        Array array;
        expect(has(name) && nb::try_cast(arrays_[name.c_str()], array, false), ("there is no such array: " + name).c_str());
        return array;
    }
    template <class T>
    Input<T> get(const std::string& name) const {
        return read<Input<T>>(name);
    }
    // Rows of two 32-bit numbers as structs.
    template <class Row>
    std::span<const Row> get_rows(const std::string& name) const {
        static_assert(sizeof(Row) == 8);
        const auto rows = read<Pairs<std::uint32_t>>(name);
        return {reinterpret_cast<const Row*>(rows.data()), rows.shape(0)};
    }
    // Without slots the hash table is built again.
    FrozenSlots open_slots(const std::string& name) const {
        if (!has(name + ".slots")) return {};
        const auto seed = get<std::uint64_t>(name + ".seed");
        const auto slots = get_rows<FrozenSlot>(name + ".slots");
        expect(seed.size() == 2 && std::has_single_bit(slots.size()), "no hash table");
        return {slots, {seed(0), seed(1)}};
    }
    FrozenStrings open_strings(const std::string& name) const {
        const auto bytes = get<std::uint8_t>(name + ".bytes");
        const auto ends = get<std::uint64_t>(name + ".ends");
        expect(ends.size() > 0 && ends.size() <= max_ids, "no strings");
        return {Bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()), {ends.data(), ends.size()}, open_slots(name)};
    }
    FrozenPairs open_pairs(const std::string& name) const {
        const auto pairs = get_rows<Pair>(name + ".pairs");
        expect(pairs.size() < max_ids, "no pairs");
        return {pairs, open_slots(name)};
    }

    template <class Row>
    static Output<std::uint32_t> copy_pairs(const std::vector<Row>& rows) {
        static_assert(sizeof(Row) == 8);
        std::unique_ptr<std::uint32_t[]> data(new std::uint32_t[rows.size() * 2]);
        std::memcpy(data.get(), rows.data(), rows.size() * sizeof(Row));
        return take_array(std::move(data), {rows.size(), std::size_t{2}});
    }

    Arrays arrays_;
};

}  // namespace tercet
