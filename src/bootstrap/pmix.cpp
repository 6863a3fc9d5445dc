#include "bootstrap/pmix.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "bootstrap/ancestors.hpp"
#include "bootstrap/text.hpp"

namespace oshen::bootstrap {
namespace {

// A machine often has several copies of libpmix, and a client of one release may not understand a server of another.
// Try the copy that an MPI has loaded into this process, then the one that the launcher uses, then the system's.
void* open_library() {
  constexpr const char* name = "libpmix.so.2";
  if (void* here = dlopen(name, RTLD_LAZY | RTLD_NOLOAD); here != nullptr) return here;
  char path[4096];
  if (library_of_ancestor("/libpmix.so", path, sizeof path))
    if (void* its = dlopen(path, RTLD_LAZY | RTLD_LOCAL); its != nullptr) return its;
  return dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

template <class F>
bool find(void* library, const char* name, F& routine) {
  routine = reinterpret_cast<F>(dlsym(library, name));
  return routine != nullptr;
}

}  // namespace

bool pmix::load(char (&reason)[reason_bytes]) {
  if (library_.init != nullptr) return true;
  void* library = open_library();
  if (library == nullptr) {
    snprintf(reason, sizeof reason, "libpmix.so.2 cannot be opened (%.120s); install libpmix2, or set LD_LIBRARY_PATH",
             dlerror());
    return false;
  }
  pmix_abi::routines r{};
  if (find(library, "PMIx_Init", r.init) && find(library, "PMIx_Initialized", r.initialized) &&
      find(library, "PMIx_Finalize", r.finalize) && find(library, "PMIx_Abort", r.abort) &&
      find(library, "PMIx_Put", r.put) && find(library, "PMIx_Commit", r.commit) &&
      find(library, "PMIx_Fence", r.fence) && find(library, "PMIx_Get", r.get) &&
      find(library, "PMIx_Error_string", r.error_string)) {
    library_ = r;
    return true;
  }
  snprintf(reason, sizeof reason, "libpmix.so.2 lacks a routine: %.120s", dlerror());
  return false;
}

bool pmix::open(job_rank& mine, char (&reason)[reason_bytes]) {
  if (!load(reason)) return false;
  if (!open_) {
    threads_.begin();
    const int code = library_.init(&self_, nullptr, 0);
    threads_.end();
    if (code != 0) {
      snprintf(reason, sizeof reason, "PMIx_Init: %.100s: does the launcher still run?", library_.error_string(code));
      return false;
    }
  }
  open_ = true;
  std::uint32_t size = 0;
  if (!number("pmix.job.size", size)) {
    snprintf(reason, sizeof reason, "the launcher does not tell the number of processes (pmix.job.size)");
    return false;
  }
  mine.pe = static_cast<int>(self_.rank);
  mine.n_pes = static_cast<int>(size);
  mine.node = first_of_node();
  return true;
}

bool pmix::number(const char* key, std::uint32_t& result) {
  pmix_abi::proc all = self_;
  all.rank = pmix_abi::rank_wildcard;
  pmix_abi::value* v = nullptr;
  if (library_.get(&all, key, nullptr, 0, &v) != 0 || v == nullptr) return false;
  const bool right = v->type == pmix_abi::type_uint32;
  if (right) result = v->uint32;
  free(v);
  return right;
}

// The smallest rank on this node, plus one. The list of ranks is in any order.
std::uint64_t pmix::first_of_node() {
  pmix_abi::proc all = self_;
  all.rank = pmix_abi::rank_wildcard;
  pmix_abi::value* v = nullptr;
  if (library_.get(&all, "pmix.lpeers", nullptr, 0, &v) != 0 || v == nullptr) return 0;
  std::uint64_t least = 0;
  if (v->type == pmix_abi::type_string && v->string != nullptr) {
    for (const char* p = v->string; *p != '\0';) {
      char* end = nullptr;
      const std::uint64_t rank = strtoul(p, &end, 10) + 1;
      if (end == p) break;
      if (least == 0 || rank < least) least = rank;
      p = *end == ',' ? end + 1 : end;
    }
    free(v->string);
  }
  free(v);
  return least;
}

status pmix::report(const char* routine, int code) {
  log::error("%s: %s", routine, library_.error_string(code));
  return status::boot_failed;
}

// Carries what was put to all processes. PMIx does not tell which processes are missing.
status pmix::wait_for_all() {
  pmix_abi::proc all = self_;
  all.rank = pmix_abi::rank_wildcard;
  static constinit pmix_abi::info wishes[2]{};
  snprintf(wishes[0].name, sizeof wishes[0].name, "pmix.collect");
  wishes[0].content.type = pmix_abi::type_bool;
  wishes[0].content.flag = true;
  snprintf(wishes[1].name, sizeof wishes[1].name, "pmix.timeout");
  wishes[1].content.type = pmix_abi::type_int;
  wishes[1].content.integer = start_seconds > INT_MAX ? 0 : static_cast<int>(start_seconds);  // 0 is no limit
  const int code = library_.fence(&all, 1, wishes, 2);
  if (code == 0) return status::ok;
  if (code != pmix_abi::error_timeout) return report("PMIx_Fence", code);
  log::error("shmem_init: not all PEs have come to the launcher's fence in %u s (OSHEN_START_LIMIT); ending this PE",
             start_seconds);
  return status::boot_failed;
}

status pmix::share(hub_address& of_pe_0, const job_rank& mine) {
  char key[64], text[2 * sizeof(hub_address) + 1];
  snprintf(key, sizeof key, "oshen-card-%d", published_++);
  if (mine.pe == 0) {
    to_hex(&of_pe_0, sizeof of_pe_0, text);
    pmix_abi::value v{};
    v.type = pmix_abi::type_string;
    v.string = text;
    if (const int code = library_.put(pmix_abi::scope_global, key, &v); code != 0) return report("PMIx_Put", code);
  }
  if (const int code = library_.commit(); code != 0) return report("PMIx_Commit", code);
  if (const status s = wait_for_all(); failed(s)) return s;
  pmix_abi::proc first = self_;
  first.rank = 0;
  pmix_abi::value* v = nullptr;
  if (const int code = library_.get(&first, key, nullptr, 0, &v); code != 0) return report("PMIx_Get", code);
  const bool right = v->type == pmix_abi::type_string && from_hex(v->string, &of_pe_0, sizeof of_pe_0);
  if (v->type == pmix_abi::type_string) free(v->string);
  free(v);
  if (right) return status::ok;
  log::error("PMIx_Get: the address of PE 0 is not as PE 0 has put it");
  return status::boot_failed;
}

void pmix::end_job(int exit_status) {
  if (open_ && library_.initialized() != 0) library_.abort(exit_status, nullptr, nullptr, 0);
}

void pmix::finish() {
  if (open_) library_.finalize(nullptr, 0);
  threads_.release();
  open_ = false;
}

}  // namespace oshen::bootstrap
