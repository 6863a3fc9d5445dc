// The messages of a plan, sorted into parcels: one for each peer and direction.
#pragma once

#include <vector>

#include "plan.hpp"

namespace oshen::exchange {

// Fills in the parcels of `plan`, what they touch, and the numbers of their words.
void sort(oshen_plan& plan, const oshen_plan_attr_t& attr);

// Puts the axes of the boxes into the order of the sender's memory, see reordered().
void reorder(parcel& p, unsigned order);

template <class Parcel>
Parcel* find(std::vector<Parcel>& parcels, int peer) {
  for (auto& p : parcels) {
    if (p.peer == peer) return &p;
  }
  return nullptr;
}

}  // namespace oshen::exchange
