// Finds the launcher of this process. A table lists the launch methods, the most specific first.
#pragma once

#include "bootstrap/launcher.hpp"
#include "bootstrap/process_manager.hpp"

namespace oshen::bootstrap {

// Seconds (launcher.hpp).
struct patience {
  unsigned warn, abort, start;
};

inline constexpr int n_methods = 5;

struct launch_method {
  const char* name;  // as in OSHEN_BOOT
  const char* about;
  bool detected;  // the variables of such a launcher are set
  bool usable;
  job_rank rank;              // if usable
  char reason[reason_bytes];  // otherwise
};

struct detection {
  launch_method methods[n_methods];
  int chosen_method;               // -1: none, and the job must not start
  char refusal[3 * reason_bytes];  // in that case the reason, and what to do
};

// Tries the methods in order until one leads to a multi-PE job, or `every` method. Sessions with process managers stay
// open.
void detect(detection& all, bool every);

// Finds and joins the launcher of this process. Collective over the PEs of the job. bootstrap/launcher.hpp defines the
// two times.
status find_launcher(launcher*& found, const patience& limits);

}  // namespace oshen::bootstrap
