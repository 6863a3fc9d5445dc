// What the processes of a job over fabric_null share: the memory of their regions, and a mailbox of each process.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

// Where another process finds the memory of a region: a descriptor of its owner, and a place in that file.
struct shared_region {
  std::atomic<bool> is_there;
  int fd;
  std::uint64_t place, bytes;
};

constexpr std::size_t max_message = 40960;
constexpr std::uint64_t n_slots = 512;
constexpr int max_shared_regions = 512;

// An arrival: a message, or the notice of a put with remote data.
struct slot {
  std::atomic<std::uint64_t> turn;
  std::uint32_t bytes;
  bool is_data;
  std::uint64_t data;
  char body[max_message];
};

// The mailbox of an endpoint: many senders, one receiver. A slot is free for sender number n when its turn is n, and
// full for the receiver when its turn is n + 1.
struct mailbox {
  std::atomic<std::uint64_t> next_sender, next_receiver;
  std::atomic<std::uint32_t> atomics_lock;
  std::atomic<std::uint32_t> is_armed;  // the receiver sleeps until a sender writes to its pipe (ucx_null)
  shared_region regions[max_shared_regions];
  slot slots[n_slots];
};

struct endpoint_name {
  char magic[8];
  std::int32_t pid, fd;
};
constexpr char magic[8] = "nullfab";

void* map_of_process(int pid, int fd, std::uint64_t place, std::uint64_t bytes) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  const int mine = open(path, O_RDWR | O_CLOEXEC);
  if (mine < 0) return nullptr;
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, mine, static_cast<off_t>(place));
  close(mine);
  return at == MAP_FAILED ? nullptr : at;
}

// The file behind the mapping at `address`: this process' descriptor of it, and the place in it.
bool find_file(const void* address, int& fd, std::uint64_t& place) {
  FILE* maps = fopen("/proc/self/maps", "re");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  unsigned long first = 0, last = 0, offset = 0, inode = 0, found = 0;
  char line[512];
  while (maps != nullptr && found == 0 && fgets(line, sizeof line, maps) != nullptr)
    if (sscanf(line, "%lx-%lx %*s %lx %*s %lu", &first, &last, &offset, &inode) == 4 && wanted >= first &&
        wanted < last)
      found = inode;
  if (maps != nullptr) fclose(maps);
  place = offset + (wanted - first);
  struct stat is{};
  for (fd = 3; found != 0 && fd < 4096; ++fd)
    if (fstat(fd, &is) == 0 && is.st_ino == found) return true;
  return false;
}

// The mailbox of the process, which all its domains share: a key means the same at each of its endpoints.
struct own_box {
  mailbox* box = nullptr;
  int fd = -1;
  std::atomic<int> next_key{0};
  bool open() {
    if (box != nullptr) return true;
    fd = memfd_create("null fabric", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof(mailbox)) != 0) return false;
    void* at = mmap(nullptr, sizeof(mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED) return false;
    box = static_cast<mailbox*>(at);
    for (std::uint64_t i = 0; i < n_slots; ++i) box->slots[i].turn.store(i, std::memory_order_relaxed);
    return true;
  }
};
inline own_box& mine() {
  static auto& box = *new own_box;
  return box;
}

}  // namespace
