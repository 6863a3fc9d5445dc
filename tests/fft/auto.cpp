// OSHEN_FFT_AUTO: results while ways are tried, the choice that stays, what is remembered, and the limit:
// fft_auto learn|recall. `recall` expects the choices that `learn` has written to the file OSHEN_EXCHANGE_CHOICES.
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

using complex = std::complex<double>;

std::string text_of(const oshen_fft_t* fft) {
  char text[1000];
  oshen_fft_describe(fft, text, sizeof text);
  return text;
}

bool has(const oshen_fft_t* fft, const char* part) { return text_of(fft).find(part) != std::string::npos; }

oshen_fft_t* made(oshen_group_t* group, const oshen_fft_attr_t& attr) {
  oshen_fft_t* fft = nullptr;
  CHECK(oshen_fft_create(group, &attr, &fft) == OSHEN_OK);
  if (fft == nullptr) shmem_global_exit(1);
  return fft;
}

std::vector<complex> numbers(std::size_t n, random_source& random) {
  std::vector<complex> all(n);
  for (complex& z : all) z = {random.below(1000) / 1000.0, random.below(1000) / 1000.0};
  return all;
}

double difference(const std::vector<complex>& a, const std::vector<complex>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i++) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// A transform that tries ways, beside one with the same boxes that does not.
struct compared {
  compared(oshen_group_t* group, oshen_fft_attr_t attr, random_source& own) : input(numbers(volume(attr.in), own)) {
    attr.effort = OSHEN_FFT_ESTIMATE;
    oshen_fft_t* plain = made(group, attr);
    expected.resize(volume(attr.out));
    oshen_fft_forward(plain, input.data(), expected.data(), OSHEN_FFT_SCALE_NONE);
    oshen_fft_destroy(plain);
    attr.effort = OSHEN_FFT_AUTO;
    attr.expected_runs = 1 << 20;  // so many pay for trials, whatever times a busy machine shows
    fft = made(group, attr);
    out.resize(expected.size());
    back.resize(input.size());
  }
  void start(bool forward) {
    if (forward)
      oshen_fft_forward_start(fft, input.data(), out.data(), OSHEN_FFT_SCALE_NONE);
    else
      oshen_fft_backward_start(fft, expected.data(), back.data(), OSHEN_FFT_SCALE_FULL);
  }
  void finish(bool forward) {
    oshen_fft_wait(fft);
    CHECK(forward ? difference(out, expected) < 1e-10 : difference(back, input) < 1e-13);
  }

  std::vector<complex> input, expected, out, back;
  oshen_fft_t* fft = nullptr;
};

// Two transforms whose runs overlap, in random directions, until both have made their choice. Only the order of the
// starts is equal on all PEs.
void overlapping(oshen_group_t* group, const oshen_fft_attr_t& attr, random_source& random, random_source& own) {
  compared a(group, attr, own), b(group, attr, own);
  CHECK(has(a.fft, "auto (trying)") && has(b.fft, "auto (trying)"));
  oshen_fft_need_t need{};
  oshen_fft_workspace_t held{};
  CHECK(oshen_fft_need(group, &attr, &need, sizeof need) == OSHEN_OK);
  oshen_fft_workspace(a.fft, &held, sizeof held);
  CHECK(held.symmetric <= need.symmetric && held.ordinary <= need.ordinary);
  std::uint64_t runs = 0;
  for (; runs < 400 && (has(a.fft, "trying") || has(b.fft, "trying")); runs++) {
    const bool forward = random.once_in(2);
    a.start(forward);
    b.start(!forward);
    if (own.once_in(4)) usleep(static_cast<unsigned>(own.below(200)));
    while (!oshen_fft_test(b.fft)) oshen_fft_test(a.fft);
    b.finish(!forward);
    a.finish(forward);
  }
  CHECK(has(a.fft, "auto (measured: ") && has(b.fft, "auto (measured: "));
  for (const bool forward : {true, false}) {
    a.start(forward);
    a.finish(forward);
  }
  oshen_fft_workspace_t kept{};
  oshen_fft_workspace(a.fft, &kept, sizeof kept);
  CHECK(kept.symmetric < held.symmetric);
  oshen_fft_stats_t all{};
  oshen_fft_stats(a.fft, &all, sizeof all);
  CHECK(all.runs == runs + 2 && all.transform_seconds > 0);
  oshen_fft_destroy(b.fft);
  oshen_fft_destroy(a.fft);
}

// The process grids of the ways that the text names: the part of a name between two slashes.
std::set<std::string> grids_of(const std::string& text) {
  std::set<std::string> found;
  for (std::size_t at = text.find("out"); at != std::string::npos; at = text.find("out", at + 1)) {
    const std::size_t slash = text.find('/', at), end = text.find('/', slash + 1);
    if (text.find(' ', at) > slash && end != std::string::npos) found.insert(text.substr(slash, end - slash));
  }
  return found;
}

// Ways on different process grids are tried, because the boxes leave the grid in between to the library.
void other_grids(oshen_group_t* group, const oshen_fft_attr_t& attr, random_source& own) {
  if (shmem_n_pes() == 1) return;
  compared a(group, attr, own);
  for (int run = 0; run < 400 && has(a.fft, "trying"); run++) {
    a.start(true);
    a.finish(true);
  }
  CHECK(grids_of(text_of(a.fft)).size() >= 2);
  oshen_fft_destroy(a.fft);
}

// PE 0 begins each run before the others do, and they wait for it: also the run that keeps the fastest way and drops
// the others. One of the ways gathers the output from other PEs.
void settles_before_others_begin(oshen_group_t* group, oshen_fft_attr_t attr, random_source& own) {
  static std::uint64_t finished, begun;
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if (n == 1) return;  // it has one way
  const int edge = attr.extent[1], low = edge * me / n;
  attr.out = {{0, low, 0}, {edge, edge * (me + 1) / n - low, edge}, {}};
  compared a(group, attr, own);
  CHECK(has(a.fft, "auto (trying)"));
  for (std::uint64_t run = 0; run < 400 && has(a.fft, "trying"); run++) {
    if (me == 0) {
      shmem_uint64_wait_until(&finished, SHMEM_CMP_GE, run * static_cast<std::uint64_t>(n - 1));
      a.start(true);
      oshen_fft_test(a.fft);
      for (int pe = 1; pe < n; pe++) shmem_uint64_atomic_set(&begun, run + 1, pe);
    } else {
      shmem_uint64_wait_until(&begun, SHMEM_CMP_GE, run + 1);
      a.start(true);
    }
    a.finish(true);
    shmem_quiet();
    if (me != 0) shmem_uint64_atomic_inc(&finished, 0);
  }
  CHECK(has(a.fft, "auto (measured: "));
  CHECK(!has(a.fft, "shared work arrays") || has(a.fft, "<out["));
  oshen_fft_destroy(a.fft);
}

void expect_source(oshen_group_t* group, const oshen_fft_attr_t& attr, const char* source) {
  oshen_fft_t* fft = made(group, attr);
  CHECK(has(fft, source));
  oshen_fft_destroy(fft);
}

// Destroyed in its trials, after many numbers of runs. It leaves what its first round has shown, and nothing before.
void short_lived(oshen_group_t* group, random_source& own) {
  constexpr int round = 27;  // at most: runs of a block, candidates
  for (int runs = 0; runs <= round + 6; runs += 3) {
    auto attr = slabs<oshen_fft_attr_t>(group, 17 + runs);
    attr.effort = OSHEN_FFT_AUTO;
    compared a(group, attr, own);
    CHECK(has(a.fft, "auto (trying)"));
    for (int run = 0; run < runs; run++) {
      a.start(true);
      a.finish(true);
    }
    oshen_fft_destroy(a.fft);
    if (runs < 9) expect_source(group, attr, "auto (trying)");
    if (runs > round) expect_source(group, attr, "auto (earlier plan)");
  }
}

// A convolution has the same factors in all its ways, and lent work memory serves all.
void convolving(oshen_group_t* group, oshen_fft_attr_t attr, random_source& own) {
  attr.convolution = 1;
  oshen_fft_need_t need{};
  CHECK(oshen_fft_need(group, &attr, &need, sizeof need) == OSHEN_OK);
  attr.workspace_bytes = need.workspace;
  attr.workspace = oshen_arena_alloc(oshen_group_arena(group), need.workspace + 1);
  oshen_fft_t* fft = made(group, attr);
  const std::vector<complex> twos(volume(attr.out), complex{2, 0}), input = numbers(volume(attr.in), own);
  std::vector<complex> out(input.size()), expected = input;
  for (complex& z : expected) z *= 2;
  CHECK(oshen_fft_set_factors(fft, twos.data()) == OSHEN_OK);
  for (int run = 0; run < 60; run++) {
    oshen_fft_convolve(fft, input.data(), out.data(), OSHEN_FFT_SCALE_FULL);
    CHECK(difference(out, expected) < 1e-12);
    std::memset(attr.workspace, 0xFF, attr.workspace_bytes);
  }
  oshen_fft_destroy(fft);
  oshen_arena_free(oshen_group_arena(group), attr.workspace);
}

// Without time for trials, and with too few runs to pay for them, the model decides.
void limited(oshen_group_t* group, oshen_fft_attr_t attr) {
  attr.expected_runs = 1;
  oshen_fft_t* fft = made(group, attr);
  CHECK(has(fft, "auto (model)"));
  oshen_fft_destroy(fft);
  attr.expected_runs = -1;
  CHECK(oshen_fft_create(group, &attr, &fft) == OSHEN_INVALID);
  attr.expected_runs = 0;
  setenv("OSHEN_EXCHANGE_TRIALS", "0", 1);
  fft = made(group, attr);
  CHECK(has(fft, "auto (model)"));
  oshen_fft_destroy(fft);
  setenv("OSHEN_EXCHANGE_TRIALS", "1000000", 1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool recalls = argc > 1 && std::strcmp(argv[1], "recall") == 0;
  setenv("OSHEN_EXCHANGE_TRIALS", "1000000", 1);  // many transforms are tried
  const auto body = [&](oshen_group_t* group, random_source& random, random_source& own) {
    auto attr = slabs<oshen_fft_attr_t>(group, 12);
    attr.effort = OSHEN_FFT_AUTO;
    const char* file = std::getenv("OSHEN_EXCHANGE_CHOICES");
    if (!recalls && shmem_my_pe() == 0 && file != nullptr) unlink(file);  // only PE 0 reads it
    auto larger = slabs<oshen_fft_attr_t>(group, 16);
    larger.effort = OSHEN_FFT_AUTO;
    if (recalls) {
      expect_source(group, larger, shmem_n_pes() == 1 ? "auto (trying)" : "auto (file)");
      return expect_source(group, attr, "auto (file)");
    }
    limited(group, attr);
    short_lived(group, own);
    other_grids(group, larger, own);
    overlapping(group, attr, random, own);
    expect_source(group, attr, "auto (earlier plan)");
    convolving(group, attr, own);
    settles_before_others_begin(group, attr, own);
  };
  return run_program(1, argv, body);
}
