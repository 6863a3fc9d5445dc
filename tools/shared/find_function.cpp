// Finds the function behind a wrapper. Usually it is the next one in the search order. A library that was loaded for a
// plug-in or by Python is not in that order, so all loaded libraries are searched.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>

#include "shared/find_function.h"

namespace {

struct search {
  const char* name;
  void* found;
};

int look_in(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<search*>(data);
  if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0') return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  wanted.found = dlsym(library, wanted.name);
  dlclose(library);
  return wanted.found != nullptr ? 1 : 0;
}

void* look_everywhere(const char* name) {
  search wanted{name, nullptr};
  dl_iterate_phdr(look_in, &wanted);
  return wanted.found;
}

[[noreturn]] void complain(const char* name) {
  std::fprintf(stderr, "oshprof: no library that is loaded has %s\n", name);
  std::abort();
}

}  // namespace

extern "C" void* oshen_next_function(const char* profiling_name, const char* name) {
  if (void* found = dlsym(RTLD_NEXT, profiling_name)) return found;
  if (void* found = look_everywhere(profiling_name)) return found;
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  complain(profiling_name);
}

extern "C" void* oshen_library_variable(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  return look_everywhere(name);
}
