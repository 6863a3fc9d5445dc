#include "oshrun/labels.hpp"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace oshrun {
namespace {

constexpr std::size_t longest_line = 1 << 24;  // then it is cut: a PE must not eat our memory

// Moves the whole lines of `text` to `out`, labelled; the rest stays in `partial`.
void label_lines(std::string_view text, const std::string& label, std::string& partial,
                 std::string& out) {
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;
    out.append(label).append(partial).append(text.substr(0, end + 1));
    partial.clear();
    text.remove_prefix(end + 1);
  }
  partial.append(text);
  if (partial.size() < longest_line) return;
  out.append(label).append(partial).append("\n");
  partial.clear();
}

}  // namespace

labeller::~labeller() {
  if (thread_.joinable()) thread_.detach();  // only when the user did not want to wait for the rest
}

void labeller::add(int pe, unique_fd from, int to) {
  streams_.push_back({'[' + std::to_string(pe) + "] ", std::move(from), to, {}});
}

void labeller::start() {
  done_ = make_pipe();
  thread_ = std::thread([this] { run(); });
}

// One turn for one stream; false at its end. A reader of ours that has gone away ends the stream
// too: the PE then meets the broken pipe that it would have met without us.
bool labeller::forward(stream& one) {
  std::array<char, 1 << 16> buffer;
  const ssize_t bytes = read(one.from.get(), buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return true;
  if (bytes <= 0) return false;
  std::string lines;
  label_lines({buffer.data(), static_cast<std::size_t>(bytes)}, one.label, one.partial, lines);
  if (write_all(one.to, lines.data(), lines.size())) return true;
  one.partial.clear();
  return false;
}

void labeller::end(stream& one) {
  if (!one.partial.empty()) {
    const std::string line = one.label + one.partial + '\n';
    write_all(one.to, line.data(), line.size());
  }
  one.from.close();
}

void labeller::run() {
  const unique_fd poll(epoll_create1(EPOLL_CLOEXEC));
  for (stream& one : streams_) {
    epoll_event interest{.events = EPOLLIN, .data = {.ptr = &one}};
    epoll_ctl(poll.get(), EPOLL_CTL_ADD, one.from.get(), &interest);
  }
  std::array<epoll_event, 64> ready;
  for (std::size_t open = streams_.size(); open > 0;) {
    const int count = epoll_wait(poll.get(), ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      auto& one = *static_cast<stream*>(ready[static_cast<std::size_t>(i)].data.ptr);
      if (forward(one)) continue;
      // Not left to close(): a PE between fork and exec may hold a copy, and then the end comes
      // twice.
      epoll_ctl(poll.get(), EPOLL_CTL_DEL, one.from.get(), nullptr);
      end(one);
      --open;
    }
  }
  done_.write.close();
}

}  // namespace oshrun
