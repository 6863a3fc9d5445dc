// A plan of FFTW-MPI that a transform of oshen/fft.h carries out. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "oshen/fft.h"

namespace oshen::fftw_mpi {

// The flags of fftw3-mpi.h, and those of fftw3.h that matter here.
inline constexpr unsigned transposed_in = 1U << 29, transposed_out = 1U << 30;
inline constexpr unsigned measure = 0, exhaustive = 1U << 3, patient = 1U << 5, estimate = 1U << 6,
                          wisdom_only = 1U << 21;

enum class transform_type { complex, real_to_complex, complex_to_real };

// The transform that a program asks for. The arrays are those of fftw_execute.
struct request {
  std::vector<std::ptrdiff_t> n;  // dimensions from the slowest; of the real array, if there is one
  std::ptrdiff_t howmany;         // transforms, whose elements alternate in memory
  transform_type transform;
  int sign;  // of a complex transform: -1 forward
  unsigned flags;
  bool single;
  MPI_Comm comm;
  void* in;
  void* out;
};

class plan {
 public:
  // Collective over the communicator. On failure returns null on all ranks, and the reason in `why`.
  static std::unique_ptr<plan> make(const request& asked, std::string& why);
  ~plan();
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;

  // Whether a plan of a program is one of these. Plans of FFTW begin with a pointer as well.
  static bool is_one(const void* handle);

  // Collective over the communicator.
  void run() const { run(in_, out_); }
  void run(const void* in, void* out) const;

  std::string text() const;
  // Floating-point operations of this rank, as of the algorithm of radix 2.
  double operations() const;

 private:
  plan(const request& wanted, oshen_fft_t* fft);

  const void* mark_;
  oshen_fft_t* fft_;
  bool forward_;
  transform_type type_;
  void* in_;
  void* out_;
  double points_;  // of the array, divided by the number of ranks
  double levels_;
};

}  // namespace oshen::fftw_mpi
