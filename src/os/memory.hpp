// Pages: unnamed shared memory objects, reservations, and the memory that is left on the node.
#pragma once

#include <cstddef>

namespace oshen::os {

std::size_t page_bytes();

// Creates an unnamed shared memory object (memfd), which leaves nothing behind in /dev/shm. -1 on failure (errno).
int create_shared(const char* label);
bool resize_shared(int fd, std::size_t bytes);  // false on failure (errno)
// Maps the whole object, readable and writable, with pages on demand. Null on failure (errno).
void* map_shared(int fd, std::size_t bytes);

// Returns whole pages of a shared object to the kernel, if it supports that; their contents are lost. A network that
// has pinned the pages continues to use the old pages.
bool give_back_pages(void* start, std::size_t bytes);
// Zeroes the pages, and returns them to the kernel if it supports that.
void empty_pages(void* start, std::size_t bytes);

// Reserves private zero pages, allocated on demand, for tables that grow. Null on failure.
void* reserve(std::size_t bytes);
void release(void* start, std::size_t bytes);

// A private table of zero bytes that may become large. The kernel counts its memory only from the time when it is used,
// so that a large table fits under RLIMIT_DATA and under strict accounting (vm.overcommit_memory = 2).
class growing_table {
 public:
  bool open(std::size_t bytes);
  void close();
  void* start() const { return start_; }
  // Makes the first `bytes` writable; false if the kernel refuses. The others may only be read.
  bool reach(std::size_t bytes) { return bytes <= writable_ || grow(bytes); }

 private:
  bool grow(std::size_t bytes);

  void* start_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t writable_ = 0;
};

// Bytes of a mapping that no page backs yet; 0 if the kernel does not tell.
std::size_t missing_bytes(const char* start, std::size_t bytes);
// Bytes of a shared object that pages back; SIZE_MAX if the kernel does not tell.
std::size_t backed_bytes(int fd);

// Memory that is left on this node without swapping or exceeding a limit: the minimum of the kernel's MemAvailable, of
// the room in this process's control groups, and of promisable_memory().
std::size_t available_memory();
// Memory that the kernel may still promise under strict accounting (vm.overcommit_memory = 2); SIZE_MAX otherwise. It
// counts pages of shared objects when they are touched, and sends SIGBUS when there is no more.
std::size_t promisable_memory();
// The memory of this node, or of the container.
std::size_t total_memory();
// The largest shared memory object that RLIMIT_AS and RLIMIT_FSIZE leave to this process; SIZE_MAX when unlimited.
std::size_t address_space_left();

}  // namespace oshen::os
