// Gathers traces on PE 0 through the symmetric heap, in chunks, so that no shared folder is needed.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "library.hpp"
#include "record.hpp"

namespace oshtrace {
namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class reader {
 public:
  explicit reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T next() {
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto length = next<std::uint64_t>();
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

void append_text(std::string& bytes, const std::string& text) {
  append<std::uint64_t>(bytes, text.size());
  bytes += text;
}

// The flags between a PE and PE 0; zero at first.
struct channel {
  long bytes;     // total size; on PE 0, of the PE that is sending
  long sent;      // number of chunks sent, written to PE 0
  long received;  // number of chunks received, written to the sender
};

constexpr std::size_t chunk_bytes = std::size_t{1} << 18, min_chunk_bytes = 4096;

void send_trace(channel* flags, char* buffer, std::size_t room, const std::string& bytes) {
  LIBRARY(shmem_long_p)(&flags->bytes, static_cast<long>(bytes.size()), 0);
  LIBRARY(shmem_fence)();
  long chunks = 0;
  for (std::size_t done = 0; done < bytes.size(); done += room) {
    std::memcpy(buffer, bytes.data() + done, std::min(room, bytes.size() - done));
    LIBRARY(shmem_long_p)(&flags->sent, ++chunks, 0);
    LIBRARY(shmem_long_wait_until)(&flags->received, SHMEM_CMP_EQ, chunks);
  }
}

std::string receive_trace(channel* flags, char* buffer, std::size_t room, int pe) {
  std::string bytes;
  for (long chunks = 1; chunks == 1 || bytes.size() < static_cast<std::size_t>(flags->bytes); ++chunks) {
    LIBRARY(shmem_long_wait_until)(&flags->sent, SHMEM_CMP_EQ, chunks);
    const std::size_t part = std::min(room, static_cast<std::size_t>(flags->bytes) - bytes.size());
    std::string some(part, '\0');
    LIBRARY(shmem_getmem)(some.data(), buffer, part, pe);
    bytes += some;
    LIBRARY(shmem_long_p)(&flags->received, chunks, pe);
  }
  flags->sent = flags->bytes = 0;
  return bytes;
}

}  // namespace

std::string pe_trace::packed() const {
  std::string bytes;
  append_text(bytes, host);
  append(bytes, first);
  append(bytes, last);
  append(bytes, dropped);
  append<std::uint64_t>(bytes, names.size());
  for (const std::string& name : names) append_text(bytes, name);
  append<std::uint64_t>(bytes, records.size());
  bytes.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(record));
  return bytes;
}

pe_trace pe_trace::unpacked(const std::string& bytes) {
  reader from(bytes);
  pe_trace one;
  one.host = from.text();
  one.first = from.next<clock_reading>();
  one.last = from.next<clock_reading>();
  one.dropped = from.next<std::uint64_t>();
  one.names.resize(from.next<std::uint64_t>());
  for (std::string& name : one.names) name = from.text();
  one.records.resize(from.next<std::uint64_t>());
  for (record& each : one.records) each = from.next<record>();
  return one;
}

std::int64_t pe_trace::aligned(std::uint64_t time) const {
  const auto at = static_cast<std::int64_t>(time), began = static_cast<std::int64_t>(first.at);
  const std::int64_t length = static_cast<std::int64_t>(last.at) - began;
  const double part = length > 0 ? static_cast<double>(at - began) / static_cast<double>(length) : 0;
  return at - first.ahead - static_cast<std::int64_t>(part * static_cast<double>(last.ahead - first.ahead));
}

std::vector<pe_trace> gather(const pe_trace& mine) {
  const int me = LIBRARY(shmem_my_pe)(), n = LIBRARY(shmem_n_pes)();
  auto* const flags = static_cast<channel*>(LIBRARY(shmem_calloc)(1, sizeof(channel)));
  char* buffer = nullptr;
  std::size_t room = chunk_bytes;
  for (; flags != nullptr && buffer == nullptr && room >= min_chunk_bytes; room /= 2)
    buffer = static_cast<char*>(LIBRARY(shmem_malloc)(room));
  room *= 2;
  std::vector<pe_trace> all;
  if (buffer == nullptr) {
    if (me == 0)
      std::fputs("oshtrace: no room in the symmetric heap to gather the trace; set SHMEM_SYMMETRIC_SIZE\n", stderr);
    return all;
  }
  if (me == 0) all.push_back(mine);
  for (int pe = 1; pe < n; ++pe) {
    if (me == pe) send_trace(flags, buffer, room, mine.packed());
    if (me == 0) all.push_back(pe_trace::unpacked(receive_trace(flags, buffer, room, pe)));
    LIBRARY(shmem_barrier_all)();
  }
  LIBRARY(shmem_free)(buffer);
  LIBRARY(shmem_free)(flags);
  return all;
}

}  // namespace oshtrace
