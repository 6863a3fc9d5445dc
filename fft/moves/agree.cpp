#include "fft/moves/agree.hpp"

#include <algorithm>

namespace oshen::fft {
namespace {

oshen_message_t message(int peer, std::size_t offset, std::size_t bytes) {
  return {peer, bytes, {offset, bytes, {1, 1, 1}, {bytes, bytes, bytes}}};
}

}  // namespace

oshen_status_t allgather(oshen_group_t* group, const void* mine, std::size_t bytes, void* all) {
  const int n = oshen_group_size(group);
  std::vector<oshen_message_t> sends, receives;
  for (int r = 0; r < n; r++) {
    sends.push_back(message(r, 0, bytes));
    receives.push_back(message(r, static_cast<std::size_t>(r) * bytes, bytes));
  }
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = sends.data();
  attr.receives = receives.data();
  attr.n_sends = attr.n_receives = n;
  oshen_plan_t* plan = nullptr;
  const oshen_status_t status = oshen_plan_create(group, &attr, &plan);
  if (status != OSHEN_OK) return status;
  oshen_plan_run(plan, mine, all);
  oshen_plan_destroy(plan);
  return OSHEN_OK;
}

oshen_status_t worst_status(oshen_group_t* group, oshen_status_t mine) {
  std::vector<oshen_status_t> all;
  const oshen_status_t status = allgather(group, mine, all);
  return status != OSHEN_OK ? status : *std::max_element(all.begin(), all.end());
}

double largest(oshen_group_t* group, double mine) {
  std::vector<double> all;
  if (allgather(group, mine, all) != OSHEN_OK) return mine;
  return *std::max_element(all.begin(), all.end());
}

bool reaches_partners(oshen_group_t* group, const std::vector<int>& partners) {
  void* base = oshen_arena_base(oshen_group_arena(group));
  return std::all_of(partners.begin(), partners.end(),
                     [&](int p) { return shmem_ptr(base, oshen_group_pe(group, p)) != nullptr; });
}

}  // namespace oshen::fft
