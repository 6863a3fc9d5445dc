#include "oshrun/labels.hpp"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

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

void labeller::prepare() {
  done_ = make_pipe();
  poll_ = unique_fd(epoll_create1(EPOLL_CLOEXEC));
  if (!poll_.open()) give_up(1, "cannot watch the output (epoll): %s", std::strerror(errno));
}

bool labeller::add(int pe, unique_fd from, int to) {
  streams_.push_back({'[' + std::to_string(pe) + "] ", std::move(from), to, {}});
  stream& one = streams_.back();
  epoll_event interest{.events = EPOLLIN, .data = {.ptr = &one}};
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, one.from.get(), &interest) == 0) return true;
  const int why = errno;
  streams_.pop_back();  // nobody would ever hear of its end
  errno = why;
  return false;
}

bool labeller::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    tell_done();
    return false;
  }
  return true;
}

bool labeller::write_out(int to, const std::string& text) {
  if (write_all(to, text.data(), text.size())) return true;
  note_failure(to);
  return false;
}

void labeller::note_failure(int descriptor) {
  const int why = errno;
  failed_.store(descriptor);
  error_.store(why);
}

// One turn for one stream; false at its end. A reader of ours that has gone away ends the stream
// too: the PE then meets the broken pipe that it would have met without us.
bool labeller::forward(stream& one) {
  std::array<char, 1 << 16> buffer;
  const ssize_t bytes = read(one.from.get(), buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return true;
  if (bytes < 0) note_failure(STDIN_FILENO);
  if (bytes <= 0) return false;
  std::string lines;
  label_lines({buffer.data(), static_cast<std::size_t>(bytes)}, one.label, one.partial, lines);
  if (write_out(one.to, lines)) return true;
  one.partial.clear();
  return false;
}

void labeller::end(stream& one) {
  // Not left to close(): a PE between fork and exec may hold a copy, and then the end comes twice.
  epoll_ctl(poll_.get(), EPOLL_CTL_DEL, one.from.get(), nullptr);
  if (!one.partial.empty()) write_out(one.to, one.label + one.partial + '\n');
  one.from.close();
}

void labeller::forward_all() {
  std::array<epoll_event, 64> ready;
  for (std::size_t open = streams_.size(); open > 0;) {
    const int count = epoll_wait(poll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
    if (count < 0) usleep(1000);  // whatever it was, the output still has to come through
    for (int i = 0; i < count; ++i) {
      auto& one = *static_cast<stream*>(ready[static_cast<std::size_t>(i)].data.ptr);
      if (!one.from.open() || forward(one)) continue;
      end(one);
      --open;
    }
  }
}

void labeller::tell_done() {
  all_done_.store(true);
  done_.write.close();
}

void labeller::run() {
  try {
    forward_all();
  } catch (const std::exception&) {
    failed_.store(STDOUT_FILENO);
    error_.store(ENOMEM);
    for (stream& one : streams_) one.from.close();
  }
  tell_done();
}

}  // namespace oshrun
