// The outcome of an internal step. The function that detects an error logs it once; callers only return the status.
#pragma once

namespace oshen {

enum class [[nodiscard]] status : int {
  ok = 0,
  bad_setting,  // an environment variable has an invalid value
  no_launcher,  // a launcher started several processes, but this one cannot join them
  boot_failed,  // the launcher or another PE did not answer as expected
  no_memory,    // a mapping or an allocation was refused
  not_local,    // a PE is on another node, and no transport reaches it
  mismatch,     // the PEs disagree (different programs, different settings)
};

constexpr bool failed(status s) { return s != status::ok; }

}  // namespace oshen
