// Threads of the library: detached, with a small stack and all signals blocked.
#pragma once

namespace oshen::os {

bool start_thread(void (*function)(void*), void* argument);

// Ends the process from any thread, after flushing the program's streams for at most half a second: a sleeping thread
// that holds the lock of a stream cannot block the end.
[[noreturn]] void leave_from_thread(int status);

}  // namespace oshen::os
