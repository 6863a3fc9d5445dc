#include "oshrun/pe_listing.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "oshrun/posix.hpp"
#include "oshrun/proc.hpp"

namespace oshrun {
namespace {

const char* name_of(oshen::bootstrap::pe_state state) {
  switch (state) {
    case oshen::bootstrap::pe_state::unborn: return "not initialised";
    case oshen::bootstrap::pe_state::joined: return "initialised";
    case oshen::bootstrap::pe_state::finalized: return "finalized";
  }
  return "unknown";
}

// Removes the PE that is waited for and addresses, which differ between PEs with the same activity.
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

// Merged PEs that wait show state S: some of them run for a moment while the others sleep.
pe_listing::line pe_listing::line_of(int pe) {
  const pid_t pid = job_.record(pe).pid.load();
  const current_activity doing = read_activity(job_.record(pe).doing);
  const bool waits = !doing.text.empty();
  const char state = read_process(pid).state;
  std::string text = "state ";
  if (!merge_) text = "pid " + std::to_string(pid) + ", state ";
  text += merge_ && waits && state == 'R' ? 'S' : state;
  text += std::string(", ") + name_of(job_.state(pe));
  if (waits) text += ": " + (merge_ ? without_particulars(doing.text) : doing.text);
  return {pe, pe, text, waits ? std::max(doing.seconds, 0.05) : 0};
}

void pe_listing::add(int pe) {
  line next = line_of(pe);
  if (merge_ && open_.last + 1 == pe && open_.text == next.text) {
    open_.last = pe;
    open_.seconds = std::max(open_.seconds, next.seconds);
    return;
  }
  print();
  open_ = std::move(next);
}

void pe_listing::print() {
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
