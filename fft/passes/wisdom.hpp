// Saves the results of FFTW's planner on this machine ("wisdom") for the user's later programs.
#pragma once

namespace oshen::fft {

// Reads the saved wisdom, once per process. There is none if the user has no cache folder ($XDG_CACHE_HOME or
// ~/.cache), or if FFTW does not understand the file.
void recall_wisdom();

// Saves the wisdom of this process if it is more than was read. One PE of a group calls it.
void keep_wisdom();

}  // namespace oshen::fft
