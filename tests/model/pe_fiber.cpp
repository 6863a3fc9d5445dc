#include "pe_fiber.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace oshen::model {
namespace {

pe_fiber* current = nullptr;
std::vector<pe_fiber*>* all_fibers = nullptr;  // for operator delete

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "pe_fiber: %s\n", what);
  std::abort();
}

// Size classes: two for each power of two, from 32 bytes on. All are multiples of 16, the alignment that operator new
// promises.
std::size_t class_of(std::size_t bytes) {
  std::size_t size_class = 0;
  for (std::size_t size = 32; size < bytes; size = size_class % 2 == 0 ? size / 3 * 4 : size / 2 * 3) size_class++;
  return size_class;
}
std::size_t size_of(std::size_t size_class) {
  const std::size_t power = std::size_t{32} << size_class / 2;
  return size_class % 2 == 0 ? power : power / 2 * 3;
}

}  // namespace

fingerprint hash_of(const std::byte* bytes, std::size_t n, fingerprint seed) {
  std::uint64_t a = seed.a, b = seed.b;
  for (std::size_t i = 0; i < n; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
    a = (a ^ word) * 0xff51afd7ed558ccdu;
    a ^= a >> 32;
    b = (b + word) * 0xc4ceb9fe1a85ec53u;
    b ^= b >> 29;
  }
  return {a, b};
}

image_ptr make_image(std::vector<std::byte>&& bytes) {
  const fingerprint hash = hash_of(bytes.data(), bytes.size());
  return std::make_shared<const image>(image{std::move(bytes), hash});
}

pe_fiber*& running_fiber() { return current; }

[[gnu::noinline]] void clear_stack_below() {
  char below[2048];
  std::memset(below, 0, sizeof below);
  asm volatile("" : : "r"(below) : "memory");  // not optimised away
}

pe_fiber::pe_fiber() {
  void* region = mmap(nullptr, heap_bytes + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) give_up("no memory for a PE");
  region_ = static_cast<std::byte*>(region);
  if (all_fibers == nullptr) all_fibers = new std::vector<pe_fiber*>;
  all_fibers->push_back(this);
}

pe_fiber::~pe_fiber() {
  std::erase(*all_fibers, this);
  munmap(region_, heap_bytes + stack_bytes);
}

void pe_fiber::begin(const std::function<void()>& body) {
  std::memset(region_, 0, heap_bytes + stack_bytes);
  body_ = &body;
  head().used = (sizeof(header) + 15) / 16 * 16;
  getcontext(&head().context);
  head().context.uc_stack.ss_sp = region_ + heap_bytes;
  head().context.uc_stack.ss_size = stack_bytes;
  head().context.uc_link = &caller_;
  static pe_fiber* starting;
  starting = this;
  makecontext(
      &head().context,
      [] {
        pe_fiber& self = *starting;
        self.park();
        (*self.body_)();
        self.park();
      },
      0);
  resume();
}

void pe_fiber::resume() {
  held_.reset();
  // Frames that the PE is going to make start from zeros, so that equal states have equal stacks.
  constexpr std::size_t deepest = 8192;
  std::byte* at = stack_pointer();
  if (at > region_ + heap_bytes + deepest && at < stack_end()) std::memset(at - deepest, 0, deepest);
  current = this;
  swapcontext(&caller_, &head().context);
  current = nullptr;
#if defined(__x86_64__)  // registers that calls do not preserve
  for (const int lost : {REG_R8, REG_R9, REG_RDX, REG_RCX}) head().context.uc_mcontext.gregs[lost] = 0;
#endif
}

void pe_fiber::park() {
  current = nullptr;
  swapcontext(&head().context, &caller_);
  current = this;
}

std::byte* pe_fiber::stack_pointer() const {
#if defined(__x86_64__)
  return reinterpret_cast<std::byte*>(head().context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return reinterpret_cast<std::byte*>(head().context.uc_mcontext.sp);
#else
  return region_ + heap_bytes;  // saves all of the stack
#endif
}

image_ptr pe_fiber::save() const {
  if (held_ != nullptr) return held_;
  const std::byte* stack = stack_pointer();
  std::vector<std::byte> bytes(region_, region_ + head().used);
  bytes.insert(bytes.end(), stack, static_cast<const std::byte*>(stack_end()));
  held_ = make_image(std::move(bytes));
  return held_;
}

void pe_fiber::restore(const image_ptr& saved) {
  if (held_ == saved) return;
  const std::byte* from = saved->bytes.data();
  std::memcpy(region_, from, sizeof(header));
  std::memcpy(region_, from, head().used);
  const std::size_t stack = saved->bytes.size() - head().used;
  std::memcpy(stack_end() - stack, from + head().used, stack);
  held_ = saved;
}

bool pe_fiber::owns(const void* address) const { return address >= region_ && address < stack_end(); }

void pe_fiber::read(const image& saved, const void* address, std::size_t n, std::byte* to) const {
  const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - region_);
  header then;
  std::memcpy(&then, saved.bytes.data(), sizeof then);
  if (at + n <= then.used) {
    std::memcpy(to, saved.bytes.data() + at, n);
    return;
  }
  const auto end = static_cast<std::size_t>(stack_end() - region_), stack = saved.bytes.size() - then.used;
  if (at < end - stack || at + n > end) give_up("a non-blocking put reads memory that is gone");
  std::memcpy(to, saved.bytes.data() + saved.bytes.size() - (end - at), n);
}

void* pe_fiber::allocate(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes), size = size_of(size_class);
  if (size_class >= classes) give_up("a PE needs a larger heap");
  header& h = head();
  if (h.free[size_class] != nullptr) {
    void* block = h.free[size_class];
    std::memcpy(&h.free[size_class], block, sizeof(void*));
    std::memset(block, 0, sizeof(void*));
    return block;
  }
  if (h.used + sizeof(block_header) + size > heap_bytes) give_up("a PE needs a larger heap");
  auto* made = new (region_ + h.used) block_header{size_class, 0};
  h.used += sizeof(block_header) + size;
  std::memset(made + 1, 0, size);
  return made + 1;
}

void pe_fiber::release(void* block) {
  const std::size_t size_class = static_cast<block_header*>(block)[-1].size_class;
  std::memset(block, 0, size_of(size_class));  // so that equal states have equal heaps
  std::memcpy(block, &head().free[size_class], sizeof(void*));
  head().free[size_class] = block;
}

namespace {

void* allocate_anywhere(std::size_t bytes) {
  void* block = current != nullptr ? current->allocate(bytes) : std::malloc(bytes != 0 ? bytes : 1);
  if (block == nullptr) give_up("out of memory");
  return block;
}

void release_anywhere(void* block) {
  if (block == nullptr) return;
  if (all_fibers != nullptr) {
    for (pe_fiber* fiber : *all_fibers) {
      if (fiber->owns(block)) return fiber->release(block);
    }
  }
  std::free(block);
}

}  // namespace
}  // namespace oshen::model

// ---- replacements for the whole program

void* operator new(std::size_t bytes) { return oshen::model::allocate_anywhere(bytes); }
void* operator new[](std::size_t bytes) { return oshen::model::allocate_anywhere(bytes); }
void operator delete(void* block) noexcept { oshen::model::release_anywhere(block); }
void operator delete[](void* block) noexcept { oshen::model::release_anywhere(block); }
void operator delete(void* block, std::size_t) noexcept { oshen::model::release_anywhere(block); }
void operator delete[](void* block, std::size_t) noexcept { oshen::model::release_anywhere(block); }

// For a PE time stands still, so that states do not differ by the time at which they were reached.
extern "C" int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  if (oshen::model::running_fiber() == nullptr) return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  *now = {1, 0};
  return 0;
}
