// A PE as a fiber: its stack and its heap lie in one region, which can be saved and put back at the same addresses. So
// the search can return to an earlier state of ordinary C++ code. While a PE runs, operator new allocates in its
// region (pe_fiber.cpp replaces it for the whole program).
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace oshen::model {

// Bytes with their hash: equal images are practically always equal bytes.
struct image {
  std::vector<std::byte> bytes;
  fingerprint hash;
};
using image_ptr = std::shared_ptr<const image>;

fingerprint hash_of(const std::byte* bytes, std::size_t n, fingerprint seed = {1, 2});
image_ptr make_image(std::vector<std::byte>&& bytes);

class pe_fiber {
 public:
  pe_fiber();
  ~pe_fiber();
  pe_fiber(const pe_fiber&) = delete;
  pe_fiber& operator=(const pe_fiber&) = delete;

  // Empties the region; `body` runs at the first resume().
  void begin(const std::function<void()>& body);
  // Runs the PE until it parks or ends.
  void resume();
  // Called by the PE: returns to the caller of resume().
  void park();

  image_ptr save() const;
  void restore(const image_ptr& saved);
  // Whether `address` lies in the region.
  bool owns(const void* address) const;
  // Copies bytes of the region as they were when `saved` was made.
  void read(const image& saved, const void* address, std::size_t n, std::byte* to) const;

  void* allocate(std::size_t bytes);
  void release(void* block);

 private:
  static constexpr std::size_t heap_bytes = std::size_t{256} << 10, stack_bytes = std::size_t{128} << 10;
  static constexpr int classes = 40;

  // At the start of the region, so that it is saved too.
  struct header {
    ucontext_t context;
    std::size_t used;     // bytes of the heap, with this header
    void* free[classes];  // free blocks by size
  };
  struct block_header {
    std::size_t size_class, unused;
  };

  header& head() const { return *reinterpret_cast<header*>(region_); }
  std::byte* stack_pointer() const;
  std::byte* stack_end() const { return region_ + heap_bytes + stack_bytes; }

  std::byte* region_;
  ucontext_t caller_{};
  const std::function<void()>* body_ = nullptr;
  mutable image_ptr held_;  // the image that the region equals, unless the PE has run since
};

// The PE whose code runs, or null. Functions that keep data of the search set it to null for a while.
pe_fiber*& running_fiber();

// Zeros the stack below the caller's frame, where calls that have returned leave values of the search. Later frames
// contain them wherever they are not initialised, and would tell equal states apart.
void clear_stack_below();

class outside_of_pe {
 public:
  outside_of_pe() : saved_(running_fiber()) { running_fiber() = nullptr; }
  ~outside_of_pe() {
    running_fiber() = saved_;
    clear_stack_below();
  }
  outside_of_pe(const outside_of_pe&) = delete;
  outside_of_pe& operator=(const outside_of_pe&) = delete;

 private:
  pe_fiber* saved_;
};

}  // namespace oshen::model
