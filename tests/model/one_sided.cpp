#include "one_sided.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace oshen::model {
namespace {

one_sided_machine* only = nullptr;

bool holds(const image& memory, const flag_condition& flag) {
  std::uint64_t value = 0;
  std::memcpy(&value, memory.bytes.data() + flag.offset, sizeof value);
  return value >= flag.least;
}

bool any_pending(const one_sided_state& s, int pe) {
  return std::ranges::any_of(s.pending, [=](const pending_put& p) { return p.source == pe; });
}

}  // namespace

one_sided_machine& one_sided_machine::current() { return *only; }

one_sided_machine::one_sided_machine(const one_sided_program& program)
    : program_(program),
      heaps_(static_cast<std::size_t>(program.pes) * program.heap_bytes / sizeof(cache_line)),
      allocated_(static_cast<std::size_t>(program.pes)) {
  only = this;
  for (int pe = 0; pe < program.pes; pe++) {
    fibers_.push_back(std::make_unique<pe_fiber>());
    bodies_.push_back([this, pe] {
      program_.body(pe);
      park({call::finished, {}});
    });
  }
}

one_sided_machine::~one_sided_machine() { only = nullptr; }

// ---- calls of the running PE

std::size_t one_sided_machine::offset_of(const void* address) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - heap(me_));
}

// Symmetric as long as all PEs allocate alike.
void* one_sided_machine::allocate(std::size_t bytes) {
  std::size_t& used = allocated_[static_cast<std::size_t>(me_)];
  void* block = heap(me_) + used;
  used += (bytes + 63) / 64 * 64;
  if (used > program_.heap_bytes) trouble("the program needs a larger symmetric heap");
  return block;
}

pending_put& one_sided_machine::add_pending(int target, std::size_t offset, std::size_t n) {
  if (offset + n > program_.heap_bytes || target < 0 || target >= n_pes()) trouble("a put outside of the heap");
  auto after_mine = std::ranges::find_if(state_->pending, [&](const pending_put& p) { return p.source > me_; });
  const std::uint32_t epoch = state_->pes[static_cast<std::size_t>(me_)].epoch;
  return *state_->pending.insert(after_mine,
                                 {me_, target, epoch, ++state_->serials, 0, offset, nullptr, nullptr, n, false});
}

std::uint64_t one_sided_machine::put(std::size_t offset, const void* from, std::size_t n, int pe,
                                     std::uint64_t follows) {
  const outside_of_pe host;
  collect_stores();
  if (n == 0) return 0;
  pending_put& made = add_pending(pe, offset, n);
  const auto* bytes = static_cast<const std::byte*>(from);
  made.bytes = std::make_shared<const std::vector<std::byte>>(bytes, bytes + n);
  made.follows = follows;
  return made.serial;
}

void one_sided_machine::put_late(std::size_t offset, const void* from, std::size_t n, int pe) {
  const outside_of_pe host;
  collect_stores();
  if (n == 0) return;
  add_pending(pe, offset, n).late = static_cast<const std::byte*>(from);
}

void one_sided_machine::fence() {
  const outside_of_pe host;
  collect_stores();
  std::uint32_t& epoch = state_->pes[static_cast<std::size_t>(me_)].epoch;
  const bool changes =
      std::ranges::any_of(state_->pending, [&](const pending_put& p) { return p.source == me_ && p.epoch == epoch; });
  if (changes) epoch++;
}

void one_sided_machine::note_call(const parked_call& next) {
  if (program_.forget) program_.forget(me_);
  const outside_of_pe host;
  collect_stores();
  state_->pes[static_cast<std::size_t>(me_)].next = next;
}

void one_sided_machine::park(const parked_call& next) {
  note_call(next);
  fibers_[static_cast<std::size_t>(me_)]->park();
}

void one_sided_machine::get(void* to, std::size_t offset, std::size_t n, int pe) {
  park({call::get, {}});
  std::memcpy(to, heap(pe) + offset, n);
}

bool one_sided_machine::has_pending() const { return any_pending(*state_, me_); }

void one_sided_machine::trouble(const std::string& what) {
  const outside_of_pe host;
  if (trouble_.empty()) trouble_ = "PE " + std::to_string(me_) + ": " + what;
}

// With `mapped`: turns what the running PE has stored in other PEs' memory into pending puts of words.
void one_sided_machine::collect_stores() {
  if (!program_.mapped) return;
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (int pe = 0; pe < n_pes(); pe++) {
    if (pe == me_) continue;
    const std::byte* now = heap(pe);
    std::byte* before = overlay_.data() + static_cast<std::size_t>(pe) * program_.heap_bytes;
    if (std::memcmp(now, before, program_.heap_bytes) == 0) continue;
    for (std::size_t at = 0; at < program_.heap_bytes; at += word) {
      if (std::memcmp(now + at, before + at, word) == 0) continue;
      pending_put& made = add_pending(pe, at, word);
      made.bytes = std::make_shared<const std::vector<std::byte>>(now + at, now + at + word);
      made.is_store = true;
      std::memcpy(before + at, now + at, word);
    }
  }
}

// ---- steps

one_sided_state one_sided_machine::begin() {
  one_sided_state s;
  s.pes.resize(static_cast<std::size_t>(n_pes()));
  for (std::size_t pe = 0; pe < s.pes.size(); pe++) {
    fibers_[pe]->begin(bodies_[pe]);
    s.pes[pe].memory = fibers_[pe]->save();
    s.pes[pe].symmetric = make_image(std::vector<std::byte>(program_.heap_bytes));
  }
  return s;
}

bool one_sided_machine::enabled(const one_sided_state& s, int pe) const {
  const auto& p = s.pes[static_cast<std::size_t>(pe)];
  switch (p.next.what) {
    case call::wait:
      return std::ranges::any_of(p.next.flags, [&](const flag_condition& f) { return holds(*p.symmetric, f); });
    case call::quiet: return !any_pending(s, pe);
    case call::yield: return p.symmetric->hash != p.polled;
    case call::meet:
      return !any_pending(s, pe) && std::ranges::all_of(s.pes, [&](const one_sided_state::pe& other) {
        return other.meetings > p.meetings || (other.meetings == p.meetings && other.next.what == call::meet);
      });
    case call::finished: return false;
    default: return true;
  }
}

bool one_sided_machine::deliverable(const one_sided_state& s, std::size_t put) const {
  const pending_put& p = s.pending[put];
  return std::ranges::none_of(s.pending, [&](const pending_put& other) {
    return other.source == p.source && other.target == p.target &&
           (other.epoch < p.epoch || (p.follows != 0 && other.serial == p.follows) ||
            (other.is_store && p.is_store && other.offset == p.offset && other.serial < p.serial));
  });
}

std::vector<one_sided_machine::step> one_sided_machine::possible(const one_sided_state& s) const {
  std::vector<step> found;
  for (int pe = 0; pe < n_pes(); pe++)
    if (enabled(s, pe)) found.push_back({pe, none});
  for (std::size_t put = 0; put < s.pending.size(); put++)
    if (deliverable(s, put)) found.push_back({s.pending[put].source, put});
  return found;
}

void one_sided_machine::apply(one_sided_state& s, const step& next) {
  next.put != none ? deliver(s, next.put) : run(s, next.pe);
}

void one_sided_machine::deliver(one_sided_state& s, std::size_t put) {
  const pending_put p = s.pending[put];
  s.pending.erase(s.pending.begin() + static_cast<std::ptrdiff_t>(put));
  auto& target = s.pes[static_cast<std::size_t>(p.target)];
  std::vector<std::byte> bytes = target.symmetric->bytes;
  std::byte* to = bytes.data() + p.offset;
  const auto& source = s.pes[static_cast<std::size_t>(p.source)];
  if (p.bytes != nullptr) {
    std::memcpy(to, p.bytes->data(), p.length);
  } else if (fibers_[static_cast<std::size_t>(p.source)]->owns(p.late)) {
    fibers_[static_cast<std::size_t>(p.source)]->read(*source.memory, p.late, p.length, to);
  } else {
    std::memcpy(to, source.symmetric->bytes.data() + (p.late - heap(p.source)), p.length);
  }
  target.symmetric = make_image(std::move(bytes));
}

// Puts the memory in place as the PE sees it.
void one_sided_machine::enter(const one_sided_state& s, int pe) {
  for (int i = 0; i < n_pes(); i++)
    std::memcpy(heap(i), s.pes[static_cast<std::size_t>(i)].symmetric->bytes.data(), program_.heap_bytes);
  if (program_.mapped) {
    for (const pending_put& p : s.pending)
      if (p.is_store && p.source == pe) std::memcpy(heap(p.target) + p.offset, p.bytes->data(), p.length);
    overlay_.assign(heap(0), heap(n_pes()));
  }
  fibers_[static_cast<std::size_t>(pe)]->restore(s.pes[static_cast<std::size_t>(pe)].memory);
}

void one_sided_machine::run(one_sided_state& s, int pe) {
  auto& p = s.pes[static_cast<std::size_t>(pe)];
  enter(s, pe);
  if (p.next.what == call::meet) p.meetings++;
  if (p.next.what == call::yield) p.polled = p.symmetric->hash;
  state_ = &s;
  me_ = pe;
  fibers_[static_cast<std::size_t>(pe)]->resume();
  p.memory = fibers_[static_cast<std::size_t>(pe)]->save();
  if (std::memcmp(heap(pe), p.symmetric->bytes.data(), program_.heap_bytes) != 0)
    p.symmetric = make_image(std::vector<std::byte>(heap(pe), heap(pe) + program_.heap_bytes));
  state_ = nullptr;
}

std::string one_sided_machine::describe(const one_sided_state& s, const step& next) const {
  static constexpr const char* names[] = {"goes on", "tests", "waits",  "quiet",   "gets",
                                          "yields",  "meets", "begins", "finished"};
  char text[160];
  if (next.put == none) {
    const parked_call& what = s.pes[static_cast<std::size_t>(next.pe)].next;
    int n = std::snprintf(text, sizeof text, "PE %d: %s", next.pe, names[static_cast<int>(what.what)]);
    for (const flag_condition& f : what.flags)
      if (n > 0 && n < 120)
        n += std::snprintf(text + n, sizeof text - static_cast<std::size_t>(n), " %zu >= %llu", f.offset,
                           static_cast<unsigned long long>(f.least));
    return text;
  }
  const pending_put& p = s.pending[next.put];
  unsigned long long first = 0;
  if (p.bytes != nullptr) std::memcpy(&first, p.bytes->data(), std::min(p.length, sizeof first));
  std::snprintf(text, sizeof text, "a %s of PE %d becomes visible at %zu of PE %d: %zu bytes, the first word %llu",
                p.is_store ? "store" : "put", p.source, p.offset, p.target, p.length, first);
  return text;
}

void explore_from_here() { one_sided_machine::current().park({call::explore, {}}); }

void fail(const std::string& what) { one_sided_machine::current().trouble(what); }

}  // namespace oshen::model
