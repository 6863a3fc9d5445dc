#include "oshrun/roster.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "oshrun/posix.hpp"
#include "oshrun/proc.hpp"

namespace oshrun {
namespace {

const char* name_of(oshen::boot::pe_state state) {
  switch (state) {
    case oshen::boot::pe_state::unborn:
      return "not initialised";
    case oshen::boot::pe_state::joined:
      return "initialised";
    case oshen::boot::pe_state::finalized:
      return "finalized";
  }
  return "unknown";
}

// Takes out what differs between PEs that do the same: for whom they wait, and the address of an object.
std::string without_particulars(std::string text) {
  for (const char* before : {" for PE ", " 0x"}) {
    const std::size_t start = text.find(before);
    if (start == std::string::npos) continue;
    const std::size_t end = text.find(' ', start + std::strlen(before));
    text.erase(start, end == std::string::npos ? end : end - start);
  }
  return text;
}

}  // namespace

// Of those that wait together some run for a moment while others sleep: that is no difference.
roster::line roster::line_of(int pe) {
  const pid_t pid = job_.record(pe).pid.load();
  const current_activity doing = read_activity(job_.record(pe).doing);
  const bool waits = !doing.text.empty();
  const char state = read_process(pid).state;
  std::string text = "state ";
  if (!crowd_) text = "pid " + std::to_string(pid) + ", state ";
  text += crowd_ && waits && state == 'R' ? 'S' : state;
  text += std::string(", ") + name_of(job_.state(pe));
  if (waits) text += ": " + (crowd_ ? without_particulars(doing.text) : doing.text);
  return {pe, pe, text, waits ? std::max(doing.seconds, 0.05) : 0};
}

void roster::add(int pe) {
  line next = line_of(pe);
  if (crowd_ && open_.last + 1 == pe && open_.text == next.text) {
    open_.last = pe;
    open_.seconds = std::max(open_.seconds, next.seconds);
    return;
  }
  print();
  open_ = std::move(next);
}

void roster::print() {
  if (open_.last < open_.first) return;
  char since[48] = "";
  if (open_.seconds > 0) std::snprintf(since, sizeof since, " (for %.1f s)", open_.seconds);
  if (open_.first == open_.last)
    say("  PE %d, %s%s", open_.first, open_.text.c_str(), since);
  else
    say("  PEs %d .. %d, %s%s", open_.first, open_.last, open_.text.c_str(), since);
  open_ = {};
}

}  // namespace oshrun
