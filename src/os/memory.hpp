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

// Bytes of a mapping that no page backs yet; 0 if the kernel does not tell.
std::size_t missing_bytes(const char* start, std::size_t bytes);
// Bytes of a shared object that pages back; SIZE_MAX if the kernel does not tell.
std::size_t backed_bytes(int fd);

// Memory that is left on this node without swapping or exceeding a limit: the minimum of the kernel's MemAvailable and
// of the room in this process's control groups.
std::size_t available_memory();
// The memory of this node, or of the container.
std::size_t total_memory();
// The largest shared memory object that RLIMIT_AS and RLIMIT_FSIZE leave to this process; SIZE_MAX when unlimited.
std::size_t address_space_left();

}  // namespace oshen::os
