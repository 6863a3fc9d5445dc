#include "transport/network_rank.hpp"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace oshen::transport {
namespace {

// 300 and above: cards that write remote memory. 200: fast links that need the CPU. 100: kernel sockets.
struct entry {
  const char* prefix;  // of the name
  network_rank rank;
};
constexpr entry entries[] = {
    {"cxi", {340, "Slingshot card with RDMA"}},
    {"dc_", {335, "InfiniBand card with RDMA, dynamic connections"}},
    {"rc_", {330, "InfiniBand or RoCE card with RDMA"}},
    {"verbs", {320, "InfiniBand or RoCE card with RDMA"}},
    {"efa", {310, "EFA card"}},
    {"opx", {240, "Omni-Path"}},
    {"psm2", {230, "Omni-Path"}},
    {"ud_", {220, "InfiniBand or RoCE card, datagrams"}},
    {"psm3", {210, "RDMA card through psm3"}},
    {"kernel_tcp", {130, "TCP by the sockets of the kernel"}},
    {"tcp", {120, "TCP"}},
};
constexpr network_rank verbs_on_omni_path{205, "Omni-Path through verbs, slower than opx and psm2"};
constexpr network_rank psm3_on_ethernet{110, "psm3 over Ethernet, slower than TCP"};
constexpr network_rank unknown{100, "unknown network"};

bool starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

bool has_entries(const char* folder) {
  DIR* d = opendir(folder);
  if (d == nullptr) return false;
  bool found = false;
  for (const dirent* e = readdir(d); e != nullptr && !found; e = readdir(d)) found = e->d_name[0] != '.';
  closedir(d);
  return found;
}

bool is_rdma_device(const char* device) {
  char path[320];
  if (starts_with(device, "autoselect")) return has_rdma_device();
  snprintf(path, sizeof path, "/sys/class/infiniband/%.255s", device);
  return access(path, F_OK) == 0;
}

}  // namespace

network_rank rank_of(const char* name, const char* device) {
  const bool is_verbs = starts_with(name, "verbs") || starts_with(name, "rc_") || starts_with(name, "ud_");
  if (is_verbs && starts_with(device, "hfi1")) return verbs_on_omni_path;
  if (starts_with(name, "psm3") && !is_rdma_device(device)) return psm3_on_ethernet;
  for (const entry& e : entries)
    if (starts_with(name, e.prefix)) return e.rank;
  return unknown;
}

bool has_rdma_device() { return has_entries("/sys/class/infiniband") || has_entries("/sys/class/cxi"); }

}  // namespace oshen::transport
