// The plan: this PE's messages, sorted by peer, with the places they have on the wire.
//
// All messages between two PEs in one direction make one parcel, in the order listed. A receiver
// lays the parcels that it expects one after another in a half of its receive memory (group.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "group.hpp"
#include "oshen/exchange.h"
#include "strategy.hpp"

namespace oshen::exchange {

struct message {
  int number;          // in the caller's list
  std::size_t offset;  // in its parcel
  oshen_box_t box;     // simplified
};

struct parcel {
  int peer;
  std::size_t bytes;  // of all its messages
  std::size_t slot;   // offset in a half of the receiver's memory
  std::size_t
      staged;  // send parcels whose receiver shmem_ptr does not reach: offset in plan.staging
  std::vector<message> messages;
};

}  // namespace oshen::exchange

struct oshen_plan {
  oshen_group_t* group;
  const oshen::exchange::strategy* how;
  std::vector<oshen::exchange::parcel> sends;     // in rotation from the next PE, oneself last
  std::vector<oshen::exchange::parcel> receives;  // in rotation from the previous PE, oneself last
  std::unique_ptr<std::byte[]> staging;  // packed parcels on their way to peers out of reach
  decltype(oshen_plan_attr_t::pack) pack;
  decltype(oshen_plan_attr_t::unpack) unpack;
  void* context;
  oshen_plan_stats_t one_run{};  // what each run adds; times apart
  std::uint64_t runs = 0;
  double pack_seconds = 0, wait_seconds = 0, unpack_seconds = 0;
};

namespace oshen::exchange {

// The pieces strategies are made of: one parcel between the user's buffer and the wire.
void pack_parcel(const oshen_plan& plan, const parcel& parcel, const void* in, std::byte* wire);
void unpack_parcel(const oshen_plan& plan, const parcel& parcel, const std::byte* wire, void* out);

}  // namespace oshen::exchange
