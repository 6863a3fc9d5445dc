// The functions and variables that a preloaded library replaces: those of the library behind it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The function that the wrapper `name` replaces: the library's profiling entry p<name>, else the next <name>.
void* oshen_next_function(const char* profiling_name, const char* name);

// A variable of the library, or null. If the program has a copy of it, that copy is the one in use.
void* oshen_library_variable(const char* name);

#ifdef __cplusplus
}
#endif
