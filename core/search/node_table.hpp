// The nodes of a tree, found by key: open addressing, at most half full.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ofc {

template <class Node>
class NodeTable {
public:
    int find(std::uint64_t key) const { return index_[place_of(key)]; }  // number of a node, or -1
    Node& add(std::uint64_t key) {                                       // a new node; the key must not be there yet
        if (2 * (nodes_.size() + 1) > index_.size()) grow();
        index_[place_of(key)] = static_cast<std::int32_t>(nodes_.size());
        return nodes_.emplace_back(key, Node{}).second;
    }
    Node& operator[](int number) { return nodes_[static_cast<std::size_t>(number)].second; }
    const Node& operator[](int number) const { return nodes_[static_cast<std::size_t>(number)].second; }
    std::size_t size() const { return nodes_.size(); }
    void clear() {
        if (nodes_.empty()) return;
        nodes_.clear();
        index_.assign(kSmallest, -1);
    }

private:
    static constexpr std::size_t kSmallest = 1024;

    std::size_t place_of(std::uint64_t key) const {  // where it is, or the free place for it
        const std::size_t mask = index_.size() - 1;
        std::size_t at = key & mask;
        while (index_[at] >= 0 && nodes_[static_cast<std::size_t>(index_[at])].first != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        index_.assign(index_.size() * 2, -1);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            index_[place_of(nodes_[i].first)] = static_cast<std::int32_t>(i);
    }

    std::vector<std::pair<std::uint64_t, Node>> nodes_;
    std::vector<std::int32_t> index_ = std::vector<std::int32_t>(kSmallest, -1);
};

}  // namespace ofc
