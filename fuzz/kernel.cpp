// Any bytes through every recipe, under sanitizers: nothing may crash, and results that must be equal are equal.
//   make fuzz                         runs it for a minute
//   build/fuzz/kernel -runs=10000000 -max_len=4096
#include "base/fingerprint.hpp"
#include "base/packed_texts.hpp"
#include "counts/matrix.hpp"
#include "counts/reader.hpp"
#include "counts/shards.hpp"
#include "counts/table_counter.hpp"
#include "duplicates/near_copies.hpp"
#include "languages/language_segments.hpp"
#include "require.hpp"
#include "terms/frozen_vocabulary.hpp"
#include "terms/listing.hpp"
#include "terms/recipe_options.hpp"
#include "terms/spelling.hpp"

using namespace tercet;

namespace {

struct Csr {
    std::vector<std::int32_t> ends, columns;
    std::vector<std::int64_t> counts;
    bool operator==(const Csr&) const = default;
};

template <class Writer>
Csr write(Writer&& rows) {
    Csr m{std::vector<std::int32_t>(rows.n_rows() + 1), std::vector<std::int32_t>(rows.n_entries()),
          std::vector<std::int64_t>(rows.n_entries())};
    rows.write(m.ends.data(), m.columns.data(), m.counts.data(), false);
    return m;
}

Csr count(const Recipe& recipe, Documents documents, std::size_t n_threads, Vocabulary& vocabulary) {
    MatrixCounter counter(recipe, n_threads);
    counter.add(documents);
    counter.finish();
    Csr matrix = write(counter.rows());
    vocabulary = counter.take_vocabulary();
    return matrix;
}

// Short words, so that random letters match them.
void add_rules(RecipeOptions& options) {
    options.stop_words = {"a", "b"};
    options.negation = {"n", "n't"};
    options.lexicon = {{"c", "d*"}, {"c d", "c d*"}};
    options.find_forms = [](const std::vector<std::string>& tokens) {
        std::vector<std::string> forms;
        for (const std::string& token : tokens) forms.push_back(token == "e" ? "" : token.substr(0, character_size(token[0])));
        return forms;
    };
    options.find_marks = [](const std::string& text) {
        const std::size_t n = count_characters(text);
        return Marks{.hits = {{4, {0, n}}}, .kept = {{0, n / 2}}};
    };
    options.keeps_marked = options.min_token_length == 2;
    options.features = {"LEX:c", "LEX:d", "NOT_LEX:c", "NOT_LEX:d", "PATTERN:all"};
}

// Numbers below given limits, taken from the bits of one number.
class Bits {
  public:
    explicit Bits(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t take(std::uint64_t limit) { return std::exchange(bits_, bits_ / limit) % limit; }
    const char* pick(std::initializer_list<const char*> names) { return names.begin()[take(names.size())]; }

  private:
    std::uint64_t bits_;
};

RecipeOptions draw_options(Bits bits) {
    RecipeOptions options;
    options.form = bits.pick({"none", "nfc", "nfkc", "nfd"});
    options.lowercase = bits.take(2);
    options.strip_marks = bits.take(2);
    options.tokens = bits.pick({"words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace", "characters", "bytes"});
    options.min_token_length = 1 + static_cast<int>(bits.take(3));
    const int low = static_cast<int>(bits.take(4)), high = low + static_cast<int>(bits.take(2));
    options.word_ngrams.clear();
    if (low) options.word_ngrams.push_back({low, high});
    const int short_one = static_cast<int>(bits.take(4)), long_one = short_one + static_cast<int>(bits.take(2));
    if (short_one) options.char_ngrams.push_back({short_one, long_one});
    options.char_ngrams_over = bits.pick({"text", "words", "bytes", "marked_text", "word_bytes"});
    options.html = bits.pick({"keep", "strip"});
    for (std::string* treatment : {&options.emoticons, &options.emoji, &options.hashtags, &options.numbers, &options.urls, &options.users})
        *treatment = bits.pick({"keep", "group", "delete"});
    if (const int most = static_cast<int>(bits.take(4))) options.max_repeats = most;
    options.punctuation = bits.pick({"keep", "delete"});
    options.header_fields = bits.take(2) && options.tokens != "bytes";
    if (bits.take(2)) options.neutral = {"f", "G-h", "\xC3\xA9", "\xE4\xBD\xA0\xE5\xA5\xBD", "1"};
    if (low && bits.take(2)) options.skip_grams.push_back({3, 1});
    if (low && bits.take(2)) options.word_ngrams.push_back({high + 2, high + 2});  // one length between them is left out
    if (options.tokens != "bytes" && bits.take(2)) add_rules(options);
    options.stops_forms = bits.take(2);
    // A text may have fewer or more parts than there are columns.
    if (bits.take(2)) options.columns = {{"", false}, {"", false}, {"c=", true}};
    if (bits.take(2) && options.tokens != "bytes") options.columns = {{"a:", false}, {"c=", true}, {"b:", false}};
    return options;
}

// Options with any numbers and any words are refused, or give a recipe that works.
void check_options(RecipeOptions options, Documents documents, Bits bits) {
    const auto draw_range = [&] { return std::pair(static_cast<int>(bits.take(6)) - 1, static_cast<int>(bits.take(6)) - 1); };
    std::vector<std::string> texts;
    for (const Document& document : documents) document.append_to(texts.emplace_back());
    options.word_ngrams = {draw_range(), draw_range()};
    options.skip_grams = {draw_range()};
    options.max_repeats = static_cast<int>(bits.take(4)) - 1;
    if (bits.take(8) == 0) options.tokens = "no such tokens";
    if (bits.take(2)) options.neutral = texts;
    if (bits.take(2)) options.stop_words = texts;
    options.stops_forms = bits.take(2);
    if (bits.take(2)) options.kept_words = texts;
    if (bits.take(2)) options.negation = texts;
    if (bits.take(2)) options.lexicon = {texts, texts};
    try {
        const Recipe recipe = make_recipe(options);
        for (const std::string& text : texts) list_tokens(recipe, text);
    } catch (const std::invalid_argument&) {
    }
}

// A text that is one token, and is in the list of stop words, is left out.
void check_stop_words(RecipeOptions options, Documents documents) {
    options.emoticons = options.emoji = options.hashtags = options.numbers = options.urls = options.users = "keep";
    options.header_fields = options.keeps_marked = false;
    options.columns = {};
    options.neutral = options.stop_words = options.kept_words = options.negation = {};
    options.find_forms = {};
    const Recipe plain = make_recipe(options);
    for (const Document& document : documents) {
        std::string text;
        document.append_to(text);
        const std::vector<Occurrence> tokens = list_tokens(plain, text);
        if (tokens.size() != 1 || tokens[0].spans[0].start != 0 || tokens[0].spans[0].end != count_characters(text)) continue;
        options.stop_words = {text};
        require(list_tokens(make_recipe(options), text).empty(), "a stop word is left out");
    }
}

std::size_t count_listed(const Recipe& recipe, Documents documents) {
    std::size_t n = 0;
    for (const Document& document : documents) {
        std::string text;
        document.append_to(text);
        const std::size_t n_characters = count_characters(text);
        std::size_t done = 0;
        for (const Span& s : list_neutral(recipe, text)) {
            require(done <= s.start && s.start < s.end && s.end <= n_characters, "neutral words lie in the text, one after the other");
            done = s.end;
        }
        for (const Occurrence& occurrence : list_terms(recipe, text)) {
            ++n;
            for (const Span& s : occurrence.spans) require(s.start <= s.end && s.end <= n_characters, "spans lie in the text");
        }
    }
    return n;
}

std::size_t sum(const Csr& matrix) {
    std::size_t n = 0;
    for (std::int64_t count : matrix.counts) n += static_cast<std::size_t>(count);
    return n;
}

Vocabulary read_back(const Recipe& recipe, const Vocabulary& vocabulary) {
    Vocabulary result;
    for (int kind = 0; kind < n_kinds; ++kind) {
        const auto& columns = vocabulary.columns.of_kind[kind];
        for (Id id = 0; id < columns.size(); ++id) {
            if (columns[id] == none) continue;
            std::string raw;
            vocabulary.spell(static_cast<Kind>(kind), id, raw);
            read_term(recipe, write_term(recipe, static_cast<Kind>(kind), raw), columns[id], result);
        }
    }
    return result;
}

Table count_table(const Recipe& recipe, Documents documents, std::size_t n_threads, Id n_labels) {
    TableCounter counter(recipe, n_labels, n_threads);
    std::vector<std::int64_t> labels(documents.size());
    std::vector<Units> weights(documents.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = static_cast<std::int64_t>(i % n_labels);
        weights[i] = static_cast<Units>(1 + i % 2);
    }
    counter.add(documents, labels.data(), weights.data());
    return counter.take();
}

struct TableSums {
    Units occurrences = 0, documents = 0, of_labels = 0, lengths = 0;
    SquareSum squares{};
    bool operator==(const TableSums&) const = default;
};

TableSums sum(const Table& table) {
    TableSums sums;
    for (Id term = 0; term < table.counts.n_terms(); ++term) {
        Id n_before = 0;
        for (const Cell& cell : table.counts.row(term)) {
            require(cell.label >= n_before && cell.label < table.counts.n_labels(), "the cells of a row are in the order of the labels");
            require(cell.occurrences >= cell.documents && cell.documents >= 0, "no document has a term without an occurrence");
            n_before = cell.label + 1;
            sums.occurrences += cell.occurrences;
            sums.documents += cell.documents;
        }
    }
    for (Units n : table.counts.n_documents()) sums.of_labels += n;
    for (const SquareSum& squares : table.counts.squares()) sums.squares += squares;
    for (const auto& [key, n] : table.lengths) sums.lengths += n;
    return sums;
}

// What the matrix says of documents with these weights.
TableSums sum_weighted(const Csr& matrix) {
    TableSums sums;
    for (std::size_t row = 0; row + 1 < matrix.ends.size(); ++row) {
        const Units weight = static_cast<Units>(1 + row % 2);
        sums.of_labels += weight;
        sums.squares += SquareSum::square(weight);
        sums.lengths += weight;
        for (std::int32_t i = matrix.ends[row]; i < matrix.ends[row + 1]; ++i) {
            sums.occurrences += weight * matrix.counts[i];
            sums.documents += weight;
        }
    }
    return sums;
}

void check_table(const Recipe& recipe, Documents documents, const Csr& matrix, std::size_t n_columns) {
    const Table table = count_table(recipe, documents, 1, 5), same = count_table(recipe, documents, 2, 5);
    require(sum(table) == sum_weighted(matrix), "a table holds every occurrence of a term");
    require(table.canonical_order(recipe).size() == n_columns, "a table has the terms of the matrix");

    const std::vector<Id> order = table.canonical_order(recipe);
    require(table.sort_terms({order.rbegin(), order.rend()}) == order, "some terms are sorted as all terms are");
    const std::vector<Id> found = table.find_terms(read_back(recipe, table.vocabulary));
    for (Id term = 0; term < found.size(); ++term) require(found[term] == term, "a term is found by its spelling");

    const Documents half = documents.subspan(0, documents.size() / 2);
    Table total = count_table(recipe, half, 1, 5);
    const TableSums before = sum(total);
    total.add(table);
    require(total.canonical_order(recipe).size() == n_columns, "a sum has the terms of both");
    require(total.subtract(same), "what was added can be taken away");
    require(sum(total) == before, "what was added and taken away leaves nothing");
    require(total.canonical_order(recipe).size() == n_columns, "terms that are forgotten keep their numbers");
    require(half.empty() || !count_table(recipe, {}, 1, 5).subtract(total), "nothing can be taken from an empty table");
    Table forgetful = count_table(recipe, documents, 1, 5);
    require(forgetful.subtract(same), "all can be taken away");
    require(count_table(recipe, {}, 1, 5).subtract(forgetful), "what is forgotten is nothing to take");
    total.rename_labels({0, none, 1, 3, 4}, 5);
    total.rename_labels({0, none, 1, 3, 4}, 5);
    const Table twin = total;
    require(total.subtract(twin), "a table can be taken from itself");
    require(sum(total) == TableSums{}, "nothing is left");
}

void check_rows(const Recipe& recipe, Documents documents, const Csr& matrix) {
    const Table table = count_table(recipe, documents, 1, 2);
    Readers readers({recipe, table.vocabulary});
    const Rows rows = readers.read_rows(documents, 1);
    double n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(rows[i].n_unknown == 0, "a table knows the terms of its documents");
        require(rows[i].entries.size() == static_cast<std::size_t>(matrix.ends[i + 1] - matrix.ends[i]), "and each of them once");
        for (const Entry& entry : rows[i].entries) {
            require(entry.term < table.counts.n_terms() && table.counts.find(entry.term, i % 2), "its own label has it");
            n += entry.count;
        }
    }
    require(n == static_cast<double>(sum(matrix)), "reading finds every occurrence");
}

bool are_equal(const Row& a, const Row& b) {
    const auto same = [](const Entry& x, const Entry& y) { return x.term == y.term && x.count == y.count; };
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same);
}

// A reader of two vocabularies finds what a reader of each finds, also when the vocabularies have grown.
void check_two_vocabularies(RecipeOptions options, Documents documents) {
    if (options.word_ngrams.empty()) return;
    const Recipe recipe = make_recipe(options);
    options.skip_grams = {};
    options.char_ngrams = {};
    options.lexicon = {};
    options.features = {};
    if (options.find_marks) options.find_marks = [find = options.find_marks](const std::string& text) { return Marks{.kept = find(text).kept}; };
    const Recipe words = make_recipe(options);
    const Documents half = documents.subspan(0, documents.size() / 2);
    Table table = count_table(recipe, half, 1, 2), second = count_table(words, documents.subspan(documents.size() / 2), 1, 2);
    Reader both({recipe, table.vocabulary, &second.vocabulary});
    const auto check = [&] {
        Reader first({recipe, table.vocabulary}), added({words, second.vocabulary});
        for (const Document& document : documents) {
            const Row row = both.read(document), own = first.read(document);
            require(are_equal(row, own) && row.n_unknown == own.n_unknown, "a second vocabulary does not change a row");
            require(are_equal(both.added(), added.read(document)), "the row of the second vocabulary is that of its own recipe");
        }
    };
    check();
    table.add(count_table(recipe, documents, 1, 2));
    check();
    second.add(count_table(words, documents, 1, 2));
    check();
}

using FrozenKinds = std::array<FrozenKind, n_kinds>;

FrozenKinds freeze(const Vocabulary& vocabulary) {
    std::vector<Id> same(vocabulary.columns.n);
    for (Id column = 0; column < same.size(); ++column) same[column] = column;
    const Freezing frozen(vocabulary, same, vocabulary.columns.n);
    FrozenKinds result;
    for (Kind kind : kinds) result[static_cast<int>(kind)] = frozen[kind];
    return result;
}

// As it would lie in a file; the arrays must outlive it.
Vocabulary open(const FrozenKinds& frozen) {
    Vocabulary vocabulary;
    const auto slots = [](const FrozenKind& own) { return FrozenSlots(own.slots, own.seed); };
    const auto strings = [&](Kind kind) {
        const FrozenKind& own = frozen[static_cast<int>(kind)];
        return StringTable(FrozenStrings(own.bytes, own.ends, slots(own)));
    };
    vocabulary.tables.words = strings(Kind::word);
    vocabulary.tables.characters = strings(Kind::character);
    vocabulary.tables.features = strings(Kind::feature);
    const FrozenKind& ngrams = frozen[static_cast<int>(Kind::ngram)];
    vocabulary.tables.ngrams = PairTable(FrozenPairs(ngrams.pairs, slots(ngrams)));
    for (Kind kind : kinds) {
        vocabulary.columns[kind] = frozen[static_cast<int>(kind)].columns;
        for (Id column : vocabulary.columns[kind])
            if (column != none) vocabulary.columns.n = std::max(vocabulary.columns.n, column + 1);
    }
    return vocabulary;
}

// The shards of a table have each of its terms once, and their sum is the table.
void check_shards(const Recipe& recipe, Documents documents) {
    const Table table = count_table(recipe, documents, 1, 5);
    Sharding sharding(table, 3, 1);
    Table total{.counts = Counts(5)};
    std::size_t n_terms = 0;
    for (std::size_t number = 0; number < 3; ++number) {
        const Shard shard = sharding.make(number);
        Table part{.vocabulary = open(shard.vocabulary), .counts = Counts(5, static_cast<Id>(shard.sizes.size()))};
        require(is_sound(recipe, part.vocabulary.tables), "a shard has a sound vocabulary");
        std::size_t i = 0;
        for (Id term = 0; term < shard.sizes.size(); ++term)
            for (Units cell = 0; cell < shard.sizes[term]; ++cell, ++i)
                part.counts.add(term, static_cast<Id>(shard.labels[i]), shard.occurrences[i], shard.documents[i]);
        total.add(part);
        n_terms += shard.sizes.size();
    }
    require(n_terms == table.vocabulary.columns.n && total.vocabulary.columns.n == n_terms, "each term is in one shard");
    const TableSums whole = sum(table), parts = sum(total);
    require(parts.occurrences == whole.occurrences && parts.documents == whole.documents, "the shards sum to the table");
}

// The input itself says which bytes are damaged, and how.
void damage(FrozenKinds& frozen, std::uint64_t& state) {
    const auto draw = [&](std::size_t n) { return static_cast<std::size_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % n; };
    FrozenKind& own = frozen[draw(n_kinds)];
    const auto hit = [&](auto& list) {
        if (list.empty()) return;
        char* bytes = reinterpret_cast<char*>(list.data());
        bytes[draw(list.size() * sizeof(list[0]))] = static_cast<char>(draw(256));
    };
    switch (draw(5)) {
        case 0: return hit(own.bytes);
        case 1: return hit(own.ends);
        case 2: return hit(own.pairs);
        case 3: return hit(own.slots);
        default: own.seed.a ^= std::uint64_t{1} << draw(64);
    }
}

void check_damaged(const Recipe& recipe, Documents documents, FrozenKinds frozen, std::uint64_t state) {
    for (int i = 0; i < 4; ++i) damage(frozen, state);
    Table table{.vocabulary = open(frozen), .counts = Counts(1, open(frozen).columns.n)};
    Readers readers({recipe, table.vocabulary});
    const Rows rows = readers.read_rows(documents, 1);
    require(rows.n_columns() <= table.counts.n_terms(), "what is found is a term");
    if (!is_sound(recipe, table.vocabulary.tables)) return;
    const auto spell_all = [&] {
        std::string spelled;
        for (Kind kind : kinds)
            for (Id id = 0; id < table.vocabulary.tables.size(kind); ++id) table.vocabulary.spell(kind, id, spelled);
    };
    spell_all();
    try {
        table.add(count_table(recipe, documents, 1, 1));
    } catch (const std::invalid_argument&) {  // a spelling is there twice, and all is as it was
        spell_all();
        Readers({recipe, table.vocabulary}).read_rows(documents, 1);
    }
}

// Whether they have the same entries in the same order. With columns, kept rows have them by kind, and other rows column by column.
bool are_alike(const Recipe& recipe, const Rows& a, const Rows& b) {
    bool alike = a.size() == b.size();
    for (std::size_t i = 0; alike && i < a.size(); ++i) {
        std::vector<Entry> ours(a[i].entries.begin(), a[i].entries.end()), theirs(b[i].entries.begin(), b[i].entries.end());
        if (!recipe.columns.empty())
            for (auto* entries : {&ours, &theirs}) std::ranges::sort(*entries, {}, &Entry::term);
        alike = are_equal({ours, 0}, {theirs, 0});
    }
    return alike;
}

void check_kept_rows(const Recipe& recipe, Documents documents, std::uint64_t bits) {
    TableCounter counter(recipe, 2, 2, true);
    std::vector<std::int64_t> labels(documents.size()), all(documents.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<std::int64_t>(i);
        labels[i] = all[i] % 2;
    }
    std::string block = counter.add(documents, labels.data(), nullptr);
    const Table table = counter.take({1, 0}, 2);
    const KeptTerms terms = counter.take_terms(table.counts.n_terms());
    require(KeptTerms::size(block) == documents.size(), "a block has all documents");
    const Rows read = Readers({recipe, table.vocabulary}).read_rows(documents, 1);
    require(are_alike(recipe, terms.read(block, all, 2), read), "rows are kept as they are read");
    block[bits % block.size()] = static_cast<char>(bits >> 32);
    block.resize(block.size() - bits / 256 % 3 % block.size());
    try {
        all.resize(std::min(all.size(), KeptTerms::size(block)));
        const Rows rows = terms.read(block, all, 1);
        require(rows.n_columns() <= table.counts.n_terms(), "damaged rows have no other terms");
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (const Entry& entry : rows[i].entries) require(entry.term < table.counts.n_terms(), "nor do their entries");
    } catch (const std::invalid_argument&) {
    }
}

// Any bytes as rows of a small table.
void check_any_rows(Bytes bytes) {
    std::vector<Columns> numbers(2);
    for (Columns& columns : numbers)
        for (auto& of_kind : columns.of_kind) of_kind = {0, none, 2, 1};
    const KeptTerms terms(numbers, 3);
    try {
        std::vector<std::int64_t> all(KeptTerms::size(bytes));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
        terms.read(bytes, all, 1);
    } catch (const std::invalid_argument&) {
    }
}

void check_fingerprints(Documents documents) {
    for (const Document& document : documents) {
        std::string text;
        document.append_to(text);
        const Fingerprint print = Fingerprinter::of(text);
        require(print == Fingerprinter::of(std::string(text)), "a text has one fingerprint");
        require(print != Fingerprinter::of(text + '\0'), "a longer text has another");
    }
}

void unpack(const PackedTexts& packed, std::size_t n, std::vector<std::string>& texts) {
    TextUnpacker unpacker(packed.dictionary, packed.texts);
    for (std::size_t i = 0; i < n; ++i) unpacker.append_text(texts.emplace_back());
    require(unpacker.is_done(), "there is nothing behind the last text");
}

// Texts are the same after packing. Damaged bytes are an error, or texts of a bounded size.
void check_packed_texts(Documents documents, std::uint64_t bits) {
    PackedTexts packed = TextPacker::pack(documents);
    std::vector<std::string> texts;
    unpack(packed, documents.size(), texts);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        std::string room;
        require(documents[i].utf8(room) == texts[i], "packing loses nothing");
    }
    for (std::string* bytes : {&packed.dictionary, &packed.texts})
        if (!bytes->empty()) (*bytes)[bits % bytes->size()] ^= static_cast<char>(bits >> 32);
    try {
        TextUnpacker unpacker(packed.dictionary, packed.texts);
        std::string text;
        while (!unpacker.is_done()) unpacker.append_text(text);
        require(text.size() <= packed.texts.size() * (longest_run + 1), "a byte stands for few bytes");
    } catch (const std::invalid_argument&) {
    }
}

void check_any_packed(Bytes bytes) {
    try {
        TextUnpacker unpacker(bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2));
        std::string text;
        while (!unpacker.is_done()) unpacker.append_text(text);
        require(is_text(text), "unpacked bytes are texts");
    } catch (const std::invalid_argument&) {
    }
}

}  // namespace

// The documents twice: the second time each is a copy. Random bytes have few words, so they are repeated and shared.
void check_near_copies(Documents documents) {
    constexpr double threshold = 0.3;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        std::string& text = texts.emplace_back();
        for (std::size_t k = 0; k < 8; ++k) documents[(i + k * k) % documents.size()].append_to(text.append(" "));
    }
    std::vector<Document> longer;
    for (const std::string& text : texts) longer.push_back({text.data(), text.size(), 0});
    NearCopyFinder finder;
    for (const Documents& part : {Documents(documents), Documents(longer), Documents(documents), Documents(longer)}) finder.add(part, 2);
    for (std::uint64_t band = 0; band < 3; ++band) finder.compare(band, threshold, 2);
    const std::vector<Id>& firsts = finder.firsts();
    for (std::size_t i = 0; i < firsts.size(); ++i)
        require(firsts[i] <= i && firsts[i] == firsts[i % (firsts.size() / 2)] && firsts[firsts[i]] == firsts[i], "a copy is found");
    for (const NearCopyFinder::Link pair : finder.list_pairs()) {
        const auto [a, b] = NearCopyFinder::ends_of(pair);
        require(a < b && firsts.at(a) == a && (firsts.at(b) == a || firsts[b] == b), "pairs are in order, with the first text of a copy");
        require(finder.similarity(pair) >= threshold && finder.similarity(pair) <= 1, "near copies are similar");
    }
}

// Two languages in letters of ASCII and Latin-1 and one in Cyrillic letters, with n-grams that depend on the bits. Whatever the texts are,
// probabilities are probabilities, and segments are in order.
void check_languages(Documents documents, std::uint64_t bits) {
    const LetterTable::Run runs[] = {{'A', 'Z', 1 << 16 | 3, 1}, {'a', 'z', 1 << 16 | 3, 1}, {0xC0, 0xFF, 1 << 16 | 29, 1},
                                     {0x400, 0x4FF, 2 << 16 | 2, 0}, {0x4E00, 0x9FFF, 3 << 16 | 2, 0}};
    std::vector<std::uint64_t> keys;
    for (std::uint64_t a = 1; a < 60; ++a) {
        keys.push_back(a);
        for (std::uint64_t b = 3; b < 60; b += 1 + bits % 7) keys.push_back(a << 8 | b);
        for (std::uint64_t b = 3; b < 40; b += 2 + bits % 5) keys.push_back((b << 8 | a) << 24 | a << 16 | b << 8 | 1);
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::uint8_t> costs(keys.size() * 2), surprise(keys.size());
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = static_cast<std::uint8_t>((bits >> i % 57) + i * 37);
    std::vector<WritingSystem> systems;
    systems.push_back({1, {2, 0}, NgramTable(8, 5, 2, keys, costs.data(), surprise.data())});
    systems.push_back({2, {1}, NgramTable(16, 1, 1, std::vector<std::uint64_t>{2}, costs.data(), surprise.data())});
    const LanguageScorer scorer(LetterTable(runs), std::move(systems), 3);
    const LanguageSettings settings{1, 0.1, -1, 0, static_cast<double>(bits % 5), 1, 0, 0, 0.8, static_cast<double>(bits % 9)};
    const std::vector<std::uint8_t> allowed{1, bits % 2 == 0, 1};
    CommonWords common(3);
    WordReader words(scorer.letters());
    for (std::size_t i = 0; i < documents.size(); i += 2) common.add((i + bits) % 3, documents[i], words);
    const LanguageIdentifier identifier(scorer, &scorer, {0, 1, -1}, {0, -1, 0}, {1, 1, 1}, settings,
                                        {allowed, bits % 3 != 0, {bits % 4 == 0}, {0, static_cast<double>(bits % 11), 3}}, std::move(common));
    LanguageIdentifier::Reader reader(identifier);
    for (const Document& document : documents) {
        LanguageAnswer answers[3];
        reader.answer(document, 3, answers);
        double total = 0;
        for (const LanguageAnswer& answer : answers) {
            require(answer.label >= -2 && answer.label < 4, "a label, a group, unknown or nothing is answered");
            total += answer.probability;
        }
        require(answers[0].label != -2 && answers[0].probability > 0 && total <= 1.00001, "probabilities are at most 1");
        std::size_t last = 0;
        for (const LanguageSegment& segment : LanguageSegmenter(identifier).split(document)) {
            require(last <= segment.begin && segment.begin < segment.end, "segments are in order");
            require(segment.end <= document.n_characters(), "segments are inside the text");
            last = segment.end;
        }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 9) return 0;
    std::uint64_t bits;
    std::memcpy(&bits, data, 8);
    const RecipeOptions options = draw_options(Bits(bits));
    const Recipe recipe = make_recipe(options);
    const std::uint8_t unit = data[8] % 4;  // UTF-8, or the three arrays of a str
    const std::uint8_t law = data[8] / 4 % 16;
    data += 9;
    size -= 9;

    // Documents are parted by 0xFF, which no UTF-8 has; arrays are taken whole and cut in two.
    std::vector<Document> documents;
    if (unit == 0) {
        for (std::size_t begin = 0; begin <= size;) {
            std::size_t end = begin;
            while (end < size && data[end] != 0xFF) ++end;
            const Bytes text(reinterpret_cast<const char*>(data) + begin, end - begin);
            const std::size_t valid = first_invalid(text);
            require(valid <= text.size(), "the first invalid byte lies inside the text");
            documents.push_back({text.data(), valid, 0});
            begin = end + 1;
        }
    } else {
        static std::vector<char32_t> wide;
        static std::vector<std::uint16_t> middle;
        wide.clear();
        middle.clear();
        for (std::size_t i = 0; i + 2 < size; i += 3) {
            const std::uint32_t value = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
            wide.push_back(value % 0x110000);
            middle.push_back(static_cast<std::uint16_t>(value));
        }
        const std::size_t half = wide.size() / 2;
        if (unit == 1) documents = {{data, size / 2, 1}, {data + size / 2, size - size / 2, 1}};
        if (unit == 2) documents = {{middle.data(), half, 2}, {middle.data() + half, middle.size() - half, 2}};
        if (unit == 3) documents = {{wide.data(), half, 4}, {wide.data() + half, wide.size() - half, 4}};
    }

    Vocabulary vocabulary;
    const Csr matrix = count(recipe, documents, 1, vocabulary);

    const auto count_again = [&](const Vocabulary& known) {
        std::vector<PackedRows> parts = look_up(known, recipe, documents, 1);
        const auto same = [](std::size_t, std::uint64_t code) { return static_cast<Id>(code); };
        return write(RowWriter(parts, known.columns.n, 1, true, same));
    };
    if (law == 0) require(count_again(vocabulary) == matrix, "learning and looking up count the same");
    if (law == 1) require(count_again(read_back(recipe, vocabulary)) == matrix, "terms written and read back count the same");
    if (law == 3) check_table(recipe, documents, matrix, vocabulary.columns.n);
    if (law == 3) check_shards(recipe, documents);
    if (law == 4) {
        std::vector<Id> new_columns(vocabulary.columns.n, none);
        for (Id c = 0, kept = 0; c < new_columns.size(); c += 2) new_columns[c] = kept++;
        std::size_t expected = 0;
        for (std::size_t i = 0; i < matrix.counts.size(); ++i)
            if (matrix.columns[i] % 2 == 0) expected += static_cast<std::size_t>(matrix.counts[i]);
        require(sum(count_again(vocabulary.select(new_columns))) == expected, "selected terms are counted as before");
    }
    if (law == 2) require(count_listed(recipe, documents) == sum(matrix), "listing and counting find the same number of terms");
    if (law == 5) check_rows(recipe, documents, matrix);
    if (law == 5) check_two_vocabularies(options, documents);
    if (law == 6) check_fingerprints(documents);
    if (law == 9) {
        const FrozenKinds frozen = freeze(vocabulary);
        require(count_again(open(frozen)) == matrix, "a frozen vocabulary counts as the growing one");
        check_damaged(recipe, documents, frozen, bits);
    }
    if (law == 10) check_options(options, documents, Bits(bits / 3 + size));
    if (law == 11) check_stop_words(options, documents);
    if (law == 12) check_packed_texts(documents, bits);
    if (law == 13) check_any_packed(Bytes(reinterpret_cast<const char*>(data), size));
    if (law == 14) check_near_copies(documents);
    if (law == 15) check_languages(documents, bits);
    if (law == 7) check_kept_rows(recipe, documents, bits);
    if (law == 8) check_any_rows(Bytes(reinterpret_cast<const char*>(data), size));
    return 0;
}
