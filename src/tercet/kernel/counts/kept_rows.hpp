// Rows of documents, packed into bytes while they are counted. They are read back when every term has its final number, so the texts
// need not be read again. A block of bytes may have been stored outside meanwhile, so everything in it is checked.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "counts/rows.hpp"
#include "terms/order.hpp"

namespace tercet {

// Numbers of any size. Small numbers take one byte.
inline char* write_number(char* p, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *p++ = static_cast<char>(value | 0x80);
    *p++ = static_cast<char>(value);
    return p;
}
inline void put_number(std::string& bytes, std::uint64_t value) {
    char room[10];
    bytes.append(room, static_cast<std::size_t>(write_number(room, value) - room));
}

class NumberReader {
  public:
    explicit NumberReader(Bytes bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    std::uint64_t get() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            if (p_ == end_) break;
            const auto byte = static_cast<std::uint8_t>(*p_++);
            value |= std::uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return value;
        }
        throw std::invalid_argument("the rows are damaged");
    }
    // A number below the limit, or an error.
    std::uint64_t get_below(std::uint64_t limit) {
        const std::uint64_t value = get();
        if (value >= limit) throw std::invalid_argument("the rows are damaged");
        return value;
    }
    Bytes take(std::uint64_t size) {
        if (size > static_cast<std::uint64_t>(end_ - p_)) throw std::invalid_argument("the rows are damaged");
        p_ += size;
        return {p_ - size, static_cast<std::size_t>(size)};
    }
    bool is_at_end() const { return p_ == end_; }

  private:
    const char *p_, *end_;
};

// The rows of the documents that one worker has read. Each row has: the number of the document in the batch, the number of entries and of
// bytes; then for each kind of terms their number and the terms. A term is twice the worker's number of it, plus 1 if a count follows;
// without a count it occurs once. A text of several columns has its terms by kind here, and column by column where it is read again.
struct KeptPart {
    std::size_t worker = 0, n_rows = 0;
    std::string bytes{};

    void put_row(std::size_t document, std::size_t n_entries, Bytes row) {
        ++n_rows;
        put_number(bytes, document);
        put_number(bytes, n_entries);
        put_number(bytes, row.size());
        bytes += row;
    }
};

inline char* write_entry(char* p, Id id, std::uint32_t count) {
    p = write_number(p, std::uint64_t{id} * 2 + (count != 1));
    return count == 1 ? p : write_number(p, count);
}
inline constexpr std::size_t longest_entry = 10;  // bytes: a number of 33 bits and a count of 32 bits

// One block from the parts of a batch. Every document of the batch must have a row.
inline std::string join_parts(const std::vector<KeptPart>& parts, std::size_t n_documents) {
    std::string block;
    std::size_t size = 32;
    for (const KeptPart& part : parts) size += part.bytes.size() + 32;
    block.reserve(size);
    put_number(block, n_documents);
    for (const KeptPart& part : parts) {
        put_number(block, part.worker);
        put_number(block, part.n_rows);
        put_number(block, part.bytes.size());
        block += part.bytes;
    }
    return block;
}

// Reads blocks of packed rows.
class KeptTerms {
  public:
    // `of_worker` has, for each worker, the numbers of its terms in the table.
    KeptTerms(std::vector<Columns> of_worker, Id n_terms) : of_worker_(std::move(of_worker)), n_terms_(n_terms) {}

    // The number of documents in a block.
    static std::size_t size(Bytes block) { return NumberReader(block).get_below(block.size() + 1); }

    // The rows of these documents.
    Rows read(Bytes block, std::span<const std::int64_t> documents, std::size_t n_threads) const {
        const std::vector<Place> places = find_rows(block);
        std::vector<std::size_t> sizes;
        for (std::int64_t i : documents) sizes.push_back(places.at(static_cast<std::size_t>(i)).n_entries);
        Rows rows(sizes, n_terms_);
        share_out_blocks(n_threads, documents.size(), 64, [&](std::size_t, std::size_t k) {
            read_row(places[static_cast<std::size_t>(documents[k])], rows.room(k));
        });
        return rows;
    }

  private:
    struct Place {
        std::size_t worker = 0, n_entries = 0;
        Bytes bytes{};
    };

    std::vector<Place> find_rows(Bytes block) const {
        std::vector<Place> places(size(block));
        NumberReader parts(block);
        parts.get();
        while (!parts.is_at_end()) {
            const std::size_t worker = parts.get_below(of_worker_.size()), n_rows = parts.get();
            NumberReader rows(parts.take(parts.get()));
            for (std::size_t r = 0; r < n_rows; ++r) {
                Place& place = places[rows.get_below(places.size())];
                place.worker = worker;
                place.n_entries = rows.get();
                place.bytes = rows.take(rows.get_below(block.size()));
                if (place.n_entries > place.bytes.size()) throw std::invalid_argument("the rows are damaged");
            }
        }
        return places;
    }

    void read_row(const Place& place, std::span<Entry> room) const {
        NumberReader reader(place.bytes);
        std::size_t n_read = 0;
        for (int kind = 0; kind < n_kinds && !place.bytes.empty(); ++kind) {
            const std::vector<Id>& numbers = of_worker_[place.worker].of_kind[kind];
            const std::size_t n = reader.get_below(room.size() - n_read + 1);
            for (Entry& entry : room.subspan(n_read, n)) {
                const std::uint64_t code = reader.get_below(numbers.size() * 2);
                entry = {static_cast<Id>(code / 2), code % 2 ? static_cast<double>(reader.get_below(std::uint64_t{1} << 32)) : 1};
            }
            renumber(room.subspan(n_read, n), numbers);
            n_read += n;
        }
        if (n_read != room.size()) throw std::invalid_argument("the rows are damaged");
    }

    void renumber(std::span<Entry> entries, const std::vector<Id>& numbers) const {
        constexpr std::size_t ahead = 12;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i + ahead < entries.size()) fetch(&numbers[entries[i + ahead].term]);
            entries[i].term = numbers[entries[i].term];
            if (entries[i].term >= n_terms_) throw std::invalid_argument("the rows are damaged");
        }
    }

    std::vector<Columns> of_worker_;
    Id n_terms_;
};

}  // namespace tercet
