#include "text/normalize.hpp"

#include "text/cleaning.hpp"
#include "text/emoji.hpp"
#include "text/emoticons.hpp"
#include "text/groups.hpp"
#include "text/html.hpp"
#include "text/treebank.hpp"
#include "text/unicode.hpp"

namespace tercet {

Normalizer::Normalizer(const Recipe& recipe) : recipe_(recipe) {
    if (recipe.tokens == Tokens::treebank) treebank_ = std::make_unique<TreebankSpacing>();
}
Normalizer::~Normalizer() = default;

// A step that writes the whole text again.
template <class Step>
void Normalizer::step(Step write_next) {
    next_.clear();
    write_next();
    std::swap(text_, next_);
}

// A step that returns false, and writes nothing, if nothing changes.
template <class Step>
void Normalizer::try_step(Step write_next) {
    next_.clear();
    if (write_next()) std::swap(text_, next_);
}

template <class Find>
void Normalizer::replace(Treatment treatment, Bytes placeholder, Find find, Bytes nothing) {
    if (treatment == Treatment::keep) return;
    const Bytes written = treatment == Treatment::group ? placeholder : nothing;
    try_step([&] { return replace_matches(text_, next_, written, find); });
}

static void lower_ascii(char* bytes, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        bytes[i] = static_cast<char>(byte + (static_cast<unsigned char>(byte - 'A') < 26) * 32);
    }
}

const Text& Normalizer::run(bool spaced) {
    if (text_.tracked) track_input();
    const Steps& steps = recipe_.steps;
    if (steps.html == Html::strip) try_step([&] { return HtmlStripper::strip(text_, next_, no_html_); });
    const bool ascii = ascii_prefix(text_.bytes) == text_.bytes.size();
    if (!ascii && recipe_.form != Form::none) step([&] { renormalize(recipe_.form); });
    // Emoticons and emoji often have no blank around them, so their placeholders do. The other placeholders are the same as in microTC.
    replace(steps.emoticons, " _emoticon ", EmoticonFinder::find, " ");
    if (!ascii) replace(steps.emoji, " _emoji ", EmojiFinder::find, " ");
    replace(steps.hashtags, "_htag", find_hashtag);
    replace(steps.numbers, "_num", find_number);
    replace(steps.urls, "_url", find_url);
    replace(steps.users, "_usr", find_user);
    if (spaced) step([&] { treebank_->write(text_, next_); });
    if (recipe_.lowercase) ascii ? lower_ascii(text_.bytes.data(), text_.bytes.size()) : step([&] { lower(); });
    if (!ascii && recipe_.strip_marks) step([&] { renormalize(Form::nfc, true); });
    if (steps.max_repeats) try_step([&] { return shorten_repeats(text_, next_, steps.max_repeats); });
    if (!steps.punctuation) try_step([&] { return replace_matches(text_, next_, "", find_punctuation); });
    text_.pad();
    return text_;
}

void Normalizer::track_input() {
    std::size_t n_characters = 0;
    for (char byte : text_.bytes) {
        n_characters += !continues(byte);
        text_.sources.push_back({n_characters - 1, n_characters});
    }
}

void Normalizer::lower() {
    const Bytes text = text_.bytes;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t n = ascii_prefix(text.substr(i))) {
            next_.append_copy(text_, i, i + n);
            lower_ascii(next_.bytes.data() + next_.bytes.size() - n, n);
            i += n;
            continue;
        }
        const char* p = text.data() + i;
        char32_t c = read_character(p);
        const std::size_t end = p - text.data();
        const Span source = text_.source(i, end);
        if (c == U'Σ') {
            c = ends_word(i, end) ? U'ς' : U'σ';
        } else if (c == U'İ') {  // the only character whose lower case has two characters
            next_.append(U'i', source);
            c = U'\u0307';
        } else {
            c += UnicodeDatabase::get().record(c).lower;
        }
        next_.append(c, source);
        i = end;
    }
}

// Whether the sigma at [begin, end) is the last letter of a word: a cased letter comes before it, and none after it.
bool Normalizer::ends_word(std::size_t begin, std::size_t end) const {
    const Bytes text = text_.bytes;
    bool before = false;
    while (begin > 0) {
        do --begin;
        while (continues(text[begin]));
        const char* p = text.data() + begin;
        const char32_t c = read_character(p);
        if (is(c, property::ignorable)) continue;
        before = is(c, property::cased);
        break;
    }
    if (!before) return false;
    const char* p = text.data() + end;
    while (p < text.data() + text.size()) {
        const char32_t c = read_character(p);
        if (!is(c, property::ignorable)) return !is(c, property::cased);
    }
    return true;
}

// Decompose, order the marks, drop them if asked, and compose again if the form is a composed one. This is done segment by segment;
// a segment is a character with all following characters that may still change its normal form.
void Normalizer::renormalize(Form form, bool drop_marks) {
    const auto& database = UnicodeDatabase::get();
    const Bytes text = text_.bytes;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
        const char* const begin = p;
        parts_.clear();
        bool plain = true;
        do {
            const char* const here = p;
            const char32_t c = read_character(p);
            if (here != begin && database.is(c, property::starts)) {
                p = here;
                break;
            }
            plain = plain && here == begin && !database.is(c, property::decomposes) && !database.record(c).combining;
            database.decompose(c, form == Form::nfkc, parts_);
        } while (p < end);
        const std::size_t first = begin - text.data(), last = p - text.data();
        if (plain) {
            next_.append_copy(text_, first, last);
            continue;
        }
        order_marks();
        if (drop_marks) std::erase_if(parts_, [&](char32_t c) { return database.record(c).combining; });
        if (form != Form::nfd) compose_parts();
        for (char32_t c : parts_) next_.append(c, text_.source(first, last));
    }
}

void Normalizer::order_marks() {
    const auto combining = [](char32_t c) { return UnicodeDatabase::get().record(c).combining; };
    for (auto begin = parts_.begin(); begin != parts_.end();) {
        const auto end = std::find_if(begin, parts_.end(), [&](char32_t c) { return !combining(c); });
        std::stable_sort(begin, end, [&](char32_t a, char32_t b) { return combining(a) < combining(b); });
        begin = end == parts_.end() ? end : std::next(end);
    }
}

void Normalizer::compose_parts() {
    const auto& database = UnicodeDatabase::get();
    std::size_t n = 0, starter = 0;
    bool has_starter = false;
    int last = -1;  // combining class of the part between the starter and this one; -1 if there is no such part
    for (char32_t c : parts_) {
        const int combining = database.record(c).combining;
        if (has_starter && last < combining) {
            if (const char32_t composed = database.compose(parts_[starter], c)) {
                parts_[starter] = composed;
                continue;
            }
        }
        if (combining == 0) {
            starter = n;
            has_starter = true;
            last = -1;
        } else {
            last = combining;
        }
        parts_[n++] = c;
    }
    parts_.resize(n);
}

}  // namespace tercet
