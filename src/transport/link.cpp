#include "transport/link.hpp"

#include <string.h>

#include "base/log.hpp"

namespace oshen::transport {
namespace {

enum class packet_kind : std::uint8_t { question, answer };

// What travels for an atomic operation, and back.
struct packet {
  packet_kind kind;
  operation op;
  width bytes;
  std::uint8_t unused = 0;
  std::int32_t number;  // of the asker's question
  std::uint64_t at;     // offset in the target's window
  std::uint64_t value;  // of an answer: what was there before
  std::uint64_t compare;
};
static_assert(sizeof(packet) <= least_message);

}  // namespace

bool link::open(const transport& with, opening how, char* why, std::size_t room, connector connects, void* owner) {
  connects_ = connects;
  owner_ = owner;
  table_ = &with;
  window_ = how.window;
  window_bytes_ = how.window_bytes;
  for (int i = 0; i < most_questions; ++i) questions_[i].next_free = i + 1 < most_questions ? i + 1 : -1;
  first_free_ = 0;
  how.on_message = on_message;
  how.owner = this;
  facts_ = facts{};
  if (table_->open(how, &self_, &facts_, why, room)) return true;
  self_ = nullptr;
  return false;
}

void link::close() {
  if (self_ != nullptr) table_->close(self_);
  self_ = nullptr;
}

bool link::open_lane(lane& l, unsigned options) {
  l.way = table_->stream_open(self_, options);
  return l.way != nullptr;
}

void link::close_lane(lane& l) {
  if (l.way != nullptr) table_->stream_close(l.way);
  l.way = nullptr;
}

// ---- atomics as messages ------------------------------------------------------------------------------------

int link::take_question() {
  os::locked hold(lock_);
  const int number = first_free_;
  if (number >= 0) first_free_ = questions_[number].next_free;
  return number;
}

void link::give_back(int number) {
  os::locked hold(lock_);
  questions_[number].next_free = first_free_;
  first_free_ = number;
}

outcome link::ask(lane& l, int pe, std::uint64_t at, const change& what, void* result, completion* left) {
  const int number = take_question();
  if (number < 0) return outcome::again;
  questions_[number] = {.from = &l, .result = result, .left = left, .bytes = what.bytes, .next_free = -1};
  const packet l_out{.kind = packet_kind::question, .op = what.op, .bytes = what.bytes, .number = number, .at = at,
                     .value = what.value, .compare = what.compare};
  l.unanswered.fetch_add(1, std::memory_order_relaxed);  // before the answer can come
  const outcome o = table_->send(self_, l.way, pe, &l_out, sizeof l_out);
  if (o == outcome::done) return o;
  l.unanswered.fetch_sub(1, std::memory_order_relaxed);
  give_back(number);
  return o;
}

outcome link::atomic(lane& l, int pe, std::uint64_t at, const change& what, void* result, completion* left) {
  const auto bytes = static_cast<std::size_t>(what.bytes);
  if (table_->atomic == nullptr) return seen(traffic::question, pe, bytes, ask(l, pe, at, what, result, left));
  return seen(traffic::atomic, pe, bytes, table_->atomic(l.way, pe, at, what, result, left));
}

// On the target. The program's arguments were checked by the asker; a packet that points out of the window is none of
// ours.
void link::answer(int to_pe, const void* bytes) {
  packet l;
  memcpy(&l, bytes, sizeof l);
  const auto size = static_cast<std::uint64_t>(l.bytes);
  if (l.at > window_bytes_ - size || l.at % size != 0) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", table_->name, to_pe);
    return;
  }
  l.value =
      apply(window_ + l.at, {.op = l.op, .bytes = l.bytes, .fetches = true, .value = l.value, .compare = l.compare});
  l.kind = packet_kind::answer;
  if (connects_ != nullptr && connects_(owner_, to_pe) != outcome::done) return;
  static_cast<void>(table_->send(self_, nullptr, to_pe, &l, sizeof l));  // an asker that is gone needs no answer
}

void link::hear_answer(const void* bytes) {
  packet l;
  memcpy(&l, bytes, sizeof l);
  if (l.number < 0 || l.number >= most_questions) return;
  const question q = questions_[l.number];
  if (q.result != nullptr) memcpy(q.result, &l.value, static_cast<std::size_t>(q.bytes));
  give_back(l.number);
  if (q.left != nullptr) q.left->left.fetch_sub(1, std::memory_order_release);
  q.from->unanswered.fetch_sub(1, std::memory_order_release);  // last: flush may end the lane now
}

void link::on_message(void* self, int from_pe, const void* bytes, std::size_t n) {
  if (n != sizeof(packet)) return;
  auto& me = *static_cast<link*>(self);
  packet_kind kind;
  memcpy(&kind, bytes, sizeof kind);
  if (kind == packet_kind::question)
    me.answer(from_pe, bytes);
  else
    me.hear_answer(bytes);
}

// ---- order --------------------------------------------------------------------------------------------------

static outcome unless_unanswered(const lane& l, outcome o) {
  if (o != outcome::done) return o;
  return l.unanswered.load(std::memory_order_acquire) == 0 ? outcome::done : outcome::again;
}

outcome link::fence(lane& l) {
  if (table_->fence == nullptr) return flush(l);
  const outcome o = table_->fence(l.way);
  return facts_.messages_in_order ? o : unless_unanswered(l, o);
}

outcome link::flush(lane& l) { return unless_unanswered(l, table_->flush(l.way)); }

}  // namespace oshen::transport
