#include "exchange/strategies/pipeline_chunks.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace oshen::exchange {
namespace {

// Lists the boxes of one field that are sent or received. Returns false if a parcel is not a single box.
template <class Parcels>
bool boxes_of(const Parcels& parcels, const parcel& own, std::vector<oshen_box_t>& boxes) {
  const auto add = [&](const parcel& p) {
    if (p.messages.size() == 1) boxes.push_back(p.messages[0].box);
    return p.messages.size() <= 1 && !has_list(p);
  };
  return std::all_of(parcels.begin(), parcels.end(), add) && add(own);
}

}  // namespace

std::uint64_t possible_chunks(const oshen_plan& plan, chunked_remap& remap) {
  std::vector<oshen_box_t> in, out;
  if (plan.own_send.bytes != 0 && plan.own_send.peer_boxes.empty()) return 1;
  if (plan.pack != nullptr || !boxes_of(plan.sends, plan.own_send, in) ||
      !boxes_of(plan.receives, plan.own_receive, out))
    return 1;
  return remap.possible(in, out);
}

std::size_t common_chunks(std::uint64_t possible_on_all) {
  return possible_on_all == 0 ? 1 : static_cast<std::size_t>(std::countr_zero(possible_on_all)) + 1;
}

}  // namespace oshen::exchange
