// Pages: shared memory objects without a name, reservations, and how much memory the node can still give.
#pragma once

#include <cstddef>

namespace oshen::os {

std::size_t page_bytes();

// An unnamed shared memory object (memfd): nothing in /dev/shm, nothing to leak. -1 on failure (errno).
int create_shared(const char* label);
bool resize_shared(int fd, std::size_t bytes);  // false on failure (errno)
// Maps all of it, readable and writable, pages on demand. Null on failure (errno).
void* map_shared(int fd, std::size_t bytes);

// Gives the memory of whole pages of a shared object back, where the kernel can: what they held is lost. A network that
// has pinned them does not notice.
bool give_back_pages(void* start, std::size_t bytes);
// Makes them zero, and gives their memory back where the kernel can.
void empty_pages(void* start, std::size_t bytes);

// Private zero pages on demand, for book-keeping that grows. Null on failure.
void* reserve(std::size_t bytes);
void release(void* start, std::size_t bytes);

// Bytes of a mapping that no page backs as yet; 0 where the kernel does not say.
std::size_t missing_bytes(const char* start, std::size_t bytes);
// Bytes of a shared object that pages back; SIZE_MAX where the kernel does not say.
std::size_t backed_bytes(int fd);

// Memory that can be had on this node without swapping or meeting a limit: the least of what the
// kernel calls available and the room in this process's control groups and their parents.
std::size_t available_memory();
// The memory this node (or container) has in all.
std::size_t total_memory();
// The largest shared memory object that RLIMIT_AS and RLIMIT_FSIZE leave to this process; SIZE_MAX when unlimited.
std::size_t address_space_left();

}  // namespace oshen::os
