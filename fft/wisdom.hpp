// What FFTW's planner has found out on this machine, kept by the user from one program to the next.
#pragma once

namespace oshen::fft {

// Reads what is kept, once for each process. Nothing is kept where the user has no folder for such things
// ($XDG_CACHE_HOME, or ~/.cache), and a file that FFTW does not understand is as none.
void recall_wisdom();

// Keeps what this process knows now, if that is more than it has read. One PE of a group calls it.
void keep_wisdom();

}  // namespace oshen::fft
