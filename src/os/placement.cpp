#include "os/placement.hpp"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace oshen::os {
namespace {

#ifdef MADV_COLLAPSE
constexpr int collapse = MADV_COLLAPSE;
#else
constexpr int collapse = 25;  // since Linux 6.1
#endif

constexpr int most_nodes = 1024;  // of the kernel
struct node_set {
  unsigned long words[most_nodes / 64] = {};
};

// glibc has no wrapper.
void set_policy(char* start, std::size_t bytes, int mode, const node_set* nodes) {
  const std::size_t page = page_bytes();
  const std::uintptr_t first = round_up(reinterpret_cast<std::uintptr_t>(start), page);
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(start) + bytes) / page * page;
  if (first < last)
    syscall(SYS_mbind, first, last - first, mode, nodes, nodes != nullptr ? most_nodes : 0, MPOL_MF_MOVE);
}

node_set allowed_nodes() {
  node_set nodes;
  int mode = 0;
  syscall(SYS_get_mempolicy, &mode, &nodes, most_nodes, nullptr, MPOL_F_MEMS_ALLOWED);
  return nodes;
}

void touch(const char* page) { static_cast<void>(*static_cast<const volatile char*>(page)); }

// The kernel refuses while another process uses one of the pages (EAGAIN, EBUSY).
void make_huge_page(char* start) {
  for (int tries = 0; tries < 20; ++tries) {
    touch(start);
    if (madvise(start, huge_page_bytes, collapse) == 0 || (errno != EAGAIN && errno != EBUSY)) break;
    usleep(100);
  }
  touch(start);  // maps it
}

}  // namespace

// MADV_COLLAPSE works where /sys/kernel/mm/transparent_hugepage/shmem_enabled is "never", too, but needs a page in each
// range. A load of a shared page allocates it. An older kernel follows MADV_HUGEPAGE if that file allows it.
void use_huge_pages(char* start, std::size_t bytes) {
  const std::uintptr_t first = round_up(reinterpret_cast<std::uintptr_t>(start), huge_page_bytes);
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(start) + bytes) / huge_page_bytes * huge_page_bytes;
  if (first >= last) return;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  for (std::uintptr_t at = first; at < last; at += huge_page_bytes) make_huge_page(reinterpret_cast<char*>(at));
}

std::size_t bytes_in_huge_pages(const char* start, std::size_t bytes) {
  FILE* file = fopen("/proc/self/smaps", "re");
  if (file == nullptr) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  std::size_t sum = 0;
  bool is_inside = false;
  for (char line[512]; fgets(line, sizeof line, file) != nullptr;) {
    unsigned long from = 0, to = 0, kilobytes = 0;
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) is_inside = from - begin < bytes;
    if (is_inside && sscanf(line, "ShmemPmdMapped: %lu kB", &kilobytes) == 1) sum += kilobytes * 1024;
  }
  fclose(file);
  return sum;
}

void prefer_numa_node(char* start, std::size_t bytes, int node) {
  if (node >= most_nodes) return;
  node_set nodes;
  if (node >= 0) nodes.words[node / 64] = 1ul << node % 64;
  set_policy(start, bytes, MPOL_PREFERRED, node >= 0 ? &nodes : nullptr);
}

void spread_over_numa_nodes(char* start, std::size_t bytes) {
  const node_set nodes = allowed_nodes();
  set_policy(start, bytes, MPOL_INTERLEAVE, &nodes);
}

void forget_numa_nodes(char* start, std::size_t bytes) { set_policy(start, bytes, MPOL_DEFAULT, nullptr); }

}  // namespace oshen::os
