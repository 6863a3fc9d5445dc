// The last PE is late or dies; the others must print a warning.
//
//   lost_peer WHERE HOW
//
//   WHERE  run: in one run; runs: in two runs at once; handshake: while it makes a plan with a run under way; fft: in a
//          transform
//
//   HOW    late: it sleeps for ever; dead: it kills itself
#include <shmem.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "oshen/exchange.h"
#ifdef WITH_FFT
#include "oshen/fft.h"
#endif

namespace {

// Every PE sends a number to every PE.
oshen_plan_t* make_plan(oshen_group_t* group) {
  std::vector<oshen_message_t> sends, receives;
  for (int r = 0; r < shmem_n_pes(); r++) {
    const auto offset = static_cast<std::size_t>(r) * sizeof(int);
    sends.push_back({r, sizeof(int), {0, sizeof(int), {1, 1, 1}, {0, 0, 0}}});
    receives.push_back({r, sizeof(int), {offset, sizeof(int), {1, 1, 1}, {0, 0, 0}}});
  }
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.sends = sends.data();
  attr.receives = receives.data();
  attr.n_sends = attr.n_receives = shmem_n_pes();
  oshen_plan_t* plan = nullptr;
  if (oshen_plan_create(group, &attr, &plan) != OSHEN_OK) shmem_global_exit(3);
  return plan;
}

void be_lost(const char* how) {
  if (shmem_my_pe() != shmem_n_pes() - 1) return;
  if (std::strcmp(how, "dead") == 0) raise(SIGKILL);
  for (;;) pause();
}

#ifdef WITH_FFT
void transform(oshen_group_t* group, const char* how) {
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  const int n = shmem_n_pes(), me = shmem_my_pe();
  for (int a = 0; a < 3; a++) attr.extent[a] = attr.in.size[a] = 2 * n;
  attr.in.low[2] = 2 * me;
  attr.in.size[2] = 2;
  attr.out = attr.in;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(3);
  std::vector<double> data(static_cast<std::size_t>(2 * 8 * n * n));
  oshen_fft_forward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_NONE);
  be_lost(how);
  oshen_fft_backward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_FULL);
}
#endif

void exchange(oshen_group_t* group, const char* where, const char* how) {
  const int me = shmem_my_pe();
  std::vector<int> one(static_cast<std::size_t>(shmem_n_pes())), two = one;
  oshen_plan_t *first = make_plan(group), *second = make_plan(group);
  oshen_plan_run(first, &me, one.data());
  if (std::strcmp(where, "run") == 0) {
    be_lost(how);
    oshen_plan_run(first, &me, one.data());
  } else if (std::strcmp(where, "runs") == 0) {
    oshen_plan_start(first, &me, one.data());
    be_lost(how);
    oshen_plan_start(second, &me, two.data());
    oshen_plan_release(second);
  } else {
    oshen_plan_start(first, &me, one.data());
    be_lost(how);
    make_plan(group);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  shmem_init();
  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  if (oshen_arena_create(1 << 20, &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK)
    shmem_global_exit(3);
#ifdef WITH_FFT
  if (std::strcmp(argv[1], "fft") == 0) transform(group, argv[2]);
#endif
  exchange(group, argv[1], argv[2]);
  std::printf("PE %d got through\n", shmem_my_pe());
  shmem_global_exit(4);
}
