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

constexpr std::size_t longest_line = 1 << 24;  // longer lines are cut, to limit the memory of oshrun

// Appends the complete lines of `text` to `out` with labels. The rest stays in `partial`.
void label_lines(std::string_view text, const std::string& label, std::string& partial, std::string& out) {
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
  if (thread_.joinable()) thread_.detach();  // only if the user does not wait for the remaining output
}

void labeller::prepare() {
  done_ = make_pipe();
  poll_ = unique_fd(epoll_create1(EPOLL_CLOEXEC));
  if (!poll_.open()) give_up(1, "cannot read the output of the PEs (epoll): %s", std::strerror(errno));
}

bool labeller::add(int pe, unique_fd from, int to) {
  streams_.push_back({'[' + std::to_string(pe) + "] ", std::move(from), to, {}});
  stream& one = streams_.back();
  epoll_event interest{.events = EPOLLIN, .data = {.ptr = &one}};
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, one.from.get(), &interest) == 0) return true;
  const int why = errno;
  streams_.pop_back();  // without epoll its end would not be noticed
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

// Forwards available data of one stream; false at its end. A closed output also ends the stream, so that the PE gets
// SIGPIPE, as it would without labels.
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
  // close() is not enough: a PE between fork and exec may have a copy, and epoll would report the end twice.
  epoll_ctl(poll_.get(), EPOLL_CTL_DEL, one.from.get(), nullptr);
  if (!one.partial.empty()) write_out(one.to, one.label + one.partial + '\n');
  one.from.close();
}

void labeller::forward_all() {
  std::array<epoll_event, 64> ready;
  for (std::size_t open = streams_.size(); open > 0;) {
    const int count = epoll_wait(poll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
    if (count < 0) usleep(1000);  // retry: the output must be forwarded in any case
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
