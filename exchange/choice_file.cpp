#include "choice_file.hpp"

#include <charconv>
#include <cinttypes>
#include <cstdio>

#include "box_copy.hpp"

namespace oshen::exchange {
namespace {

// The FNV-1a hash of a sequence of numbers.
class fnv1a {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; byte++, number >>= 8) {
      value_ ^= number & 0xff;
      value_ *= 0x100000001b3u;
    }
  }
  void add(const oshen_message_t& m) {
    add(static_cast<std::uint64_t>(m.peer));
    add(m.bytes);
    add(m.box.offset);
    add(m.box.element);
    for (int a = 0; a < 3; a++) {
      add(m.box.extent[a]);
      add(m.box.stride[a]);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

void add_lists(fnv1a& to, const oshen_message_t* messages, const size_t* const* lists, int n) {
  for (int i = 0; lists != nullptr && i < n; i++) {
    for (std::size_t k = 0; lists[i] != nullptr && k < volume(messages[i].box); k++) to.add(lists[i][k]);
  }
}

int find_line(const char* file, std::uint64_t key) {
  std::FILE* lines = std::fopen(file, "r");
  if (lines == nullptr) return -1;
  int index = -1;
  char line[256], name[64];
  while (std::fgets(line, sizeof line, lines) != nullptr) {
    std::uint64_t of = 0;
    if (std::sscanf(line, "%" SCNx64 " %63s", &of, name) != 2 || of != key) continue;
    const strategy* known = find_strategy(name);
    index = known == nullptr ? -1 : strategy_index(*known);
  }
  std::fclose(lines);
  return index;
}

}  // namespace

std::uint64_t key_of(oshen_group& group, const oshen_plan_attr_t& attr) {
  fnv1a mine;
  mine.add(static_cast<std::uint64_t>(group.me));
  mine.add(static_cast<std::uint64_t>(group.size()));
  mine.add(static_cast<std::uint64_t>(attr.n_fields));
  mine.add(attr.buffers);
  for (int i = 0; i < attr.n_sends; i++) mine.add(attr.sends[i]);
  for (int i = 0; i < attr.n_receives; i++) mine.add(attr.receives[i]);
  add_lists(mine, attr.sends, attr.send_offsets, attr.n_sends);
  add_lists(mine, attr.receives, attr.receive_offsets, attr.n_receives);
  handshake_message local{};
  local.key = mine.value();
  std::uint64_t sum = 0;
  for (const handshake_message& reply : group.handshake(local)) sum += reply.key;
  return sum;
}

int look_up(oshen_group& group, const char* file, std::uint64_t key) {
  handshake_message local{};
  local.choice = group.me == 0 ? find_line(file, key) : -1;
  return group.handshake(local)[0].choice;
}

void store(const char* file, std::uint64_t key, const strategy& chosen, double seconds) {
  std::FILE* lines = std::fopen(file, "a");
  if (lines == nullptr) {
    std::fprintf(stderr, "oshen exchange: PE %d: cannot write strategy choices to %s\n", shmem_my_pe(), file);
    return;
  }
  char text[32] = "";  // to_chars writes a decimal point in every locale
  std::to_chars(text, text + sizeof text - 1, seconds, std::chars_format::general, 3);
  std::fprintf(lines, "%016" PRIx64 " %s %s\n", key, chosen.name, text);
  std::fclose(lines);
}

}  // namespace oshen::exchange
