#include "coll/protocol/message.hpp"

#include <stdlib.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

matched_message& message_protocol::keep(int pe, int step, char* data, std::size_t bytes) {
  void* memory = malloc(sizeof(kept));
  if (memory == nullptr) {
    log::error("%s: no memory for a message to PE %d", call_.routine, t_.world_pe(pe));
    end_job(t_.home, 1, false);
  }
  kept_ = new (memory) kept{{.pe = pe, .tag = matcher_.tag(step), .data = data, .bytes = bytes}, kept_};
  return kept_->m;
}

matched_message message_protocol::reception(int pe, int step, char* data, std::size_t bytes, bool combine) const {
  matched_message m{.pe = pe, .tag = matcher_.tag(step), .data = data, .bytes = bytes};
  if (combine) {
    m.combine = call_.combine;
    m.theirs_first = pe < t_.my_pe;
    m.element_bytes = call_.element_bytes;
  }
  return m;
}

void message_protocol::send(int pe, int step, const char* from, char*, std::size_t bytes) {
  matched_message m{.pe = pe, .tag = matcher_.tag(step), .data = const_cast<char*>(from), .bytes = bytes};
  if (matcher_.send_now(m)) return;
  matcher_.send(keep(pe, step, const_cast<char*>(from), bytes));
}

void message_protocol::receive(int pe, int step, char* to, std::size_t bytes) {
  matched_message m = reception(pe, step, to, bytes, false);
  matcher_.receive(m);
  matcher_.complete(m);
}

void message_protocol::exchange(int step, const operand_to_send& out, const operand_to_combine& in) {
  if (out.pe >= 0) send(out.pe, step, out.from, nullptr, out.elements * call_.element_bytes);
  if (in.pe < 0) return;
  matched_message theirs = reception(in.pe, step, in.into, in.elements * call_.element_bytes, true);
  matcher_.receive(theirs);
  matcher_.complete(theirs);
}

// The exchange combines into the data that it sends. So it sends eager chunks, which are copied when they are posted.
void message_protocol::exchange_in_place(int step, int to_pe, int from_pe, char* data, std::size_t n) {
  const std::size_t grain = eager_payload / call_.element_bytes;
  for (std::size_t done = 0; done < n; done += grain) {
    const std::size_t bytes = std::min(grain, n - done) * call_.element_bytes;
    char* chunk = data + done * call_.element_bytes;
    if (to_pe >= 0) {
      matched_message mine{.pe = to_pe, .tag = matcher_.tag(step), .data = chunk, .bytes = bytes};
      matcher_.send(mine);
      matcher_.complete(mine);
    }
    if (from_pe >= 0) {
      matched_message theirs = reception(from_pe, step, chunk, bytes, true);
      matcher_.receive(theirs);
      matcher_.complete(theirs);
    }
  }
}

void message_protocol::accept(int pe, const char*, char* to, std::size_t bytes) {
  matcher_.receive(keep(pe, deposit_step, to, bytes));
}

// Strided elements are packed into eager slots.
void message_protocol::send_elements(int pe, int step, const char* from, char*, std::size_t n) {
  char packed[eager_payload];
  const std::size_t size = call_.element_bytes;
  const std::size_t grain = sizeof packed / size;
  for (std::size_t done = 0; done < n; done += grain) {
    const std::size_t elements = std::min(grain, n - done);
    copy_elements(packed, from + done * size * static_cast<std::size_t>(call_.source_stride), 1, call_.source_stride,
                  elements, size);
    matched_message m{.pe = pe, .tag = matcher_.tag(step), .data = packed, .bytes = elements * size};
    matcher_.send(m);
    matcher_.complete(m);
  }
}

void message_protocol::receive_elements(int pe, int step, char* to, std::size_t n) {
  char packed[eager_payload];
  const std::size_t size = call_.element_bytes;
  const std::size_t grain = sizeof packed / size;
  for (std::size_t done = 0; done < n; done += grain) {
    const std::size_t elements = std::min(grain, n - done);
    receive(pe, step, packed, elements * size);
    copy_elements(to + done * size * static_cast<std::size_t>(call_.dest_stride), packed, call_.dest_stride, 1,
                  elements, size);
  }
}

void message_protocol::take(int pe, const char*, char* into, std::size_t n) {
  matched_message m = reception(pe, deposit_step, into, n * call_.element_bytes, true);
  matcher_.receive(m);
  matcher_.complete(m);
}

void message_protocol::settle() {
  matcher_.complete_all();
  while (kept_ != nullptr) {
    kept* next = kept_->next;
    free(kept_);
    kept_ = next;
  }
}

}  // namespace oshen::coll
