// Isotonic regression by pooling adjacent violators: the rising function that is nearest to the documents.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tercet {

// A function by its corners: leads in rising order, and the share of documents with each lead that have the label.
struct Steps {
    std::vector<double> leads, shares;
};

// A document of weight `unseen` that has the label is added at the smallest lead. Documents with equal leads count together.
inline Steps fit_steps(std::span<const double> leads, std::span<const std::uint8_t> has_label, std::span<const double> weights, double unseen) {
    struct Block {
        double first, last, own, total;
        double share() const { return own / total; }
    };
    std::vector<std::size_t> order(leads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return leads[a] < leads[b]; });
    std::vector<Block> blocks;
    const auto pool = [&] {
        while (blocks.size() > 1 && blocks[blocks.size() - 2].share() >= blocks.back().share()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back() = {blocks.back().first, last.last, blocks.back().own + last.own, blocks.back().total + last.total};
        }
    };
    for (std::size_t next = 0; next < order.size();) {
        const double lead = leads[order[next]];
        Block block{lead, lead, 0, 0};
        for (; next < order.size() && leads[order[next]] == lead; ++next) {
            block.total += weights[order[next]];
            if (has_label[order[next]]) block.own += weights[order[next]];
        }
        if (blocks.empty()) {
            block.own += unseen;
            block.total += unseen;
        }
        blocks.push_back(block);
        pool();
    }
    Steps steps;
    for (const Block& block : blocks) {
        steps.leads.push_back(block.first);
        steps.shares.push_back(block.share());
        if (block.last == block.first) continue;
        steps.leads.push_back(block.last);
        steps.shares.push_back(block.share());
    }
    return steps;
}

}  // namespace tercet
