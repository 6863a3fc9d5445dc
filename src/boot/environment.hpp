// Which launcher started this process, judged by its variables: so that a job of many is never mistaken
// for many jobs of one.
#pragma once

namespace oshen::boot {

struct foreign_launcher {
  const char* name = nullptr;      // null: none was seen
  const char* variable = nullptr;  // what gave it away
  int size = 0;                    // how many processes it says there are; 0 = it does not say
  const char* advice = nullptr;    // the command that works
};

// Looks for launchers that we cannot join in this release.
foreign_launcher find_foreign_launcher();

}  // namespace oshen::boot
