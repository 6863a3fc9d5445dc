#include "loans.hpp"

#include <bit>

namespace races {

void loans::add(const loan& one) {
  if (one.bytes == 0) return;
  const operation& what = one.what;
  auto& some = by_length_[std::bit_width(one.bytes)];
  if (some.insert_or_assign({one.start, one.bytes, what.site, what.target, what.how, what.writes}, one).second)
    n_.fetch_add(1, std::memory_order_relaxed);
}

const loan* loans::conflict(std::uintptr_t start, std::size_t bytes, bool writes) const {
  for (int bits = 1; bits <= std::numeric_limits<std::size_t>::digits; ++bits) {
    const std::map<key, loan>& some = by_length_[bits];
    if (some.empty()) continue;
    const std::uintptr_t longest = (std::uintptr_t{2} << (bits - 1)) - 1;
    for (auto at = some.lower_bound(key{start > longest ? start - longest : 0, 0, 0, 0, channel::program, false});
         at != some.end() && at->second.start < start + bytes; ++at) {
      const loan& l = at->second;
      if (start < l.start + l.bytes && (writes || l.what.writes)) return &l;
    }
  }
  return nullptr;
}

}  // namespace races
