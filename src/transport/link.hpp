// An open transport on this PE. It passes operations on, and supplies what the transport leaves out: an atomic becomes
// a question to the target, whose handler applies it with a CPU's instruction and answers; a fence becomes waiting.
//
// Nothing here waits: as in the table, `again` means that the caller makes progress and tries once more.
#pragma once

#include "os/mutex.hpp"
#include "transport/hook.hpp"
#include "transport/transport.hpp"

namespace oshen::transport {

// Questions that one PE may have open at a time: what bounds the answers that wait anywhere.
inline constexpr int most_questions = 512;

// Independent operations on a link: what a context has.
struct lane {
  stream* way = nullptr;
  std::atomic<std::uint32_t> unanswered{0};  // questions of this lane
};

class link {
 public:
  link() = default;
  link(const link&) = delete;
  link& operator=(const link&) = delete;

  // Called before the first answer to a PE, which this one may never have spoken to. Local and quick.
  using connector = outcome (*)(void* owner, int pe);

  // False: the reason is in `why`.
  bool open(const transport& with, opening how, char* why, std::size_t room, connector connects = nullptr,
            void* owner = nullptr);
  void close();

  const char* name() const { return table_->name; }
  const facts& what() const { return facts_; }
  const char* explain() const { return table_->explain(self_); }
  std::size_t local_address(void* address) const { return table_->local_address(self_, address); }
  outcome connect(int pe, const void* address, std::size_t bytes) { return table_->connect(self_, pe, address, bytes); }

  bool open_lane(lane& l, unsigned options);
  void close_lane(lane& l);  // after flush

  outcome put(lane& l, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left) {
    return seen(traffic::put, pe, bytes, table_->put(l.way, pe, to, from, bytes, left));
  }
  outcome get(lane& l, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left) {
    return seen(traffic::get, pe, bytes, table_->get(l.way, pe, to, from, bytes, left));
  }
  outcome atomic(lane& l, int pe, std::uint64_t at, const change& what, void* result, completion* left);
  outcome fence(lane& l);
  outcome flush(lane& l);
  bool has_put_signal() const { return table_->put_signal != nullptr; }
  outcome put_signal(lane& l, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                     std::uint64_t value, signal_change change, completion* left) {
    return seen(traffic::put_signal, pe, bytes,
                table_->put_signal(l.way, pe, to, from, bytes, signal, value, change, left));
  }

  // From now on `h` is told; null: nobody. While nobody has operations under way.
  void watch(hook* h) { hook_.store(h, std::memory_order_release); }

  int progress() { return table_->progress(self_); }
  int wait_fd() { return table_->wait_fd(self_); }
  bool may_block() { return table_->may_block == nullptr || table_->may_block(self_); }

 private:
  // What an answer will be matched with.
  struct question {
    lane* from;
    void* result;
    completion* left;
    width bytes;
    int next_free;
  };

  outcome seen(traffic what, int pe, std::size_t bytes, outcome o) {
    hook* const h = hook_.load(std::memory_order_acquire);
    if (h != nullptr && o == outcome::done) [[unlikely]] h->saw(*h, what, pe, bytes);
    return o;
  }
  int take_question();
  void give_back(int number);
  outcome ask(lane& l, int pe, std::uint64_t at, const change& what, void* result, completion* left);
  void answer(int to_pe, const void* bytes);
  void hear_answer(const void* bytes);
  static void on_message(void* self, int from_pe, const void* bytes, std::size_t n);

  std::atomic<hook*> hook_{nullptr};
  connector connects_ = nullptr;
  void* owner_ = nullptr;
  const transport* table_ = nullptr;
  instance* self_ = nullptr;
  facts facts_;
  char* window_ = nullptr;
  std::size_t window_bytes_ = 0;

  os::mutex lock_;  // of the list of free questions
  int first_free_ = 0;
  question questions_[most_questions];
};

}  // namespace oshen::transport
