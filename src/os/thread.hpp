// Threads of the library: detached, with a small stack, and no signal of the program's reaches them.
#pragma once

namespace oshen::os {

bool start_thread(void (*run)(void*), void* with);

// Ends the process from any thread: what the program has written is flushed as far as that is possible soon; a thread
// that holds a stream and sleeps cannot hold up the end.
[[noreturn]] void leave_from_thread(int status);

}  // namespace oshen::os
