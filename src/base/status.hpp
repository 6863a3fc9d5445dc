// The outcome of an internal step. The function that decides an error logs it once; callers only pass it up.
#pragma once

namespace oshen {

enum class [[nodiscard]] status : int {
  ok = 0,
  bad_setting,   // an environment variable has a value we cannot use
  no_launcher,   // the environment says size > 1 but we cannot join
  boot_failed,   // the other PEs did not answer as agreed
  no_memory,     // a mapping or an allocation was refused
  not_local,     // a PE is not on this node
  mismatch,      // the PEs disagree (different programs, different settings)
};

constexpr bool failed(status s) { return s != status::ok; }

}  // namespace oshen
