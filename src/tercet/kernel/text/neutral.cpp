#include "text/neutral.hpp"

#include <algorithm>

#include "text/header_fields.hpp"
#include "text/tokenize.hpp"

namespace tercet {

namespace {

using Parts = std::vector<std::pair<std::size_t, std::size_t>>;

Recipe make_finding_recipe(const Recipe& recipe) {
    Recipe finding;
    finding.form = recipe.form;
    finding.strip_marks = recipe.strip_marks;
    finding.header_fields = recipe.header_fields;
    finding.steps.html = recipe.steps.html;
    finding.steps.max_repeats = recipe.steps.max_repeats;
    return finding;
}

// Where words begin and end. In a script without spaces each character is a part of its own, and pairs of them are left out.
void find_parts(const Recipe& recipe, Bytes text, Parts& parts) {
    parts.clear();
    each_token(recipe, text, [&](const Token& token) {
        if (parts.empty() || token.begin >= parts.back().second) parts.emplace_back(token.begin, token.end);
    });
}

// One spelling for the letters that a word may be written with: both kinds of apostrophe, and both kinds of the Greek sigma.
std::string fold(Bytes word) {
    std::string folded;
    for (const char* p = word.data(); p < word.data() + word.size();) {
        const char32_t c = read_character(p);
        append_character(folded, c == U'’' ? U'\'' : c == U'ς' ? U'σ' : c);
    }
    return folded;
}

std::uint64_t length_bit(std::size_t length) { return std::uint64_t{1} << std::min<std::size_t>(length, 63); }

}  // namespace

NeutralWords::NeutralWords(const Recipe& recipe, const std::vector<std::string>& words) : recipe_(make_finding_recipe(recipe)) {
    Normalizer normalizer(recipe_);
    Parts parts;
    for (const std::string& word : words) {
        normalizer.input() = word;
        normalizer.prepare(false, 0);
        const std::string& written = normalizer.run().bytes;
        find_parts(recipe_, written, parts);
        if (parts.empty() || parts.size() > most_parts) continue;
        longest_ = std::max(longest_, parts.size());
        const std::string folded = fold(written);
        words_.intern(folded);
        lengths_[static_cast<unsigned char>(folded[0])] |= length_bit(folded.size());
    }
}

bool NeutralWords::has(Bytes word, bool is_ascii) const {
    const std::uint64_t lengths = lengths_[static_cast<unsigned char>(word[0])];
    if (is_ascii) return lengths & length_bit(word.size()) && words_.find(word) != none;
    return lengths && words_.find(fold(word)) != none;
}

bool Neutralizer::run(Bytes given) {
    is_ascii_ = ascii_prefix(given) == given.size();
    const Recipe& recipe = words_.recipe();
    if (!recipe.header_fields || recipe.steps.html == Html::keep) return replace(given, 0);
    // A listed word may be, or may not be, the name of a field: only its placeholder decides where the header ends.
    const Header header = HeaderReader::read(replace(given, given.size()) ? Bytes(text_) : given);
    const std::size_t end = header.fields.empty() ? 0 : locate(header.fields.back().end, true);
    return replace(given, skip(given.data(), end) - given.data());
}

bool Neutralizer::replace(Bytes given, std::size_t no_html) {
    sources_.clear();
    const Recipe& recipe = words_.recipe();
    normalizer_.input().assign(given);
    // Places stay the same if only capitals change.
    const bool moves = recipe.steps.html == Html::strip || recipe.steps.max_repeats || !is_ascii_;
    normalizer_.prepare(moves, no_html);
    find(normalizer_.run());
    if (sources_.empty()) return false;
    write(given);
    return true;
}

// The leftmost listed words. If several begin at one place, the longest.
void Neutralizer::find(const Text& text) {
    find_parts(words_.recipe(), text.bytes, parts_);
    const bool is_ascii = is_ascii_ && words_.recipe().steps.html == Html::keep;  // an entity may be any character
    for (std::size_t i = 0; i < parts_.size();) {
        std::size_t n = std::min(words_.longest(), parts_.size() - i);
        while (n && !words_.has(text.part(parts_[i].first, parts_[i + n - 1].second), is_ascii)) --n;
        if (n) {
            const std::size_t begin = parts_[i].first, end = parts_[i + n - 1].second;
            const Span source = text.tracked ? text.source(begin, end) : Span{begin, end};
            // One character may be written as several words: with NFKC, ½ is 1⁄2. It is replaced once.
            if (sources_.empty() || source.start >= sources_.back().end) sources_.push_back(source);
        }
        i += std::max<std::size_t>(n, 1);
    }
}

void Neutralizer::write(Bytes given) {
    text_.clear();
    begins_.clear();
    const char* done = given.data();
    std::size_t n_read = 0, n_written = 0;  // characters
    for (const Span& source : sources_) {
        const char* const begin = skip(done, source.start - n_read);
        text_.append(done, begin).append(NeutralWords::placeholder);
        begins_.push_back(n_written + source.start - n_read);
        n_written = begins_.back() + NeutralWords::placeholder.size();
        done = skip(begin, source.end - source.start);
        n_read = source.end;
    }
    text_.append(done, given.data() + given.size());
}

const char* Neutralizer::skip(const char* p, std::size_t n_characters) const {
    if (is_ascii_) return p + n_characters;
    for (; n_characters; --n_characters) p += character_size(*p);
    return p;
}

std::size_t Neutralizer::locate(std::size_t place, bool is_end) const {
    if (sources_.empty()) return place;
    // The last placeholder that begins before an end, or not after a start.
    const auto after = is_end ? std::lower_bound(begins_.begin(), begins_.end(), place) : std::upper_bound(begins_.begin(), begins_.end(), place);
    if (after == begins_.begin()) return place;
    const std::size_t i = after - begins_.begin() - 1, end = begins_[i] + NeutralWords::placeholder.size();
    if (place >= end) return sources_[i].end + (place - end);
    return is_end ? sources_[i].end : sources_[i].start;
}

}  // namespace tercet
