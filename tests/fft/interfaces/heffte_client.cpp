// A program written for heFFTe, compiled with Oshen's header of that name: brick, pencil, real, batched and cosine
// transforms, compared with serial FFTW. Like the examples of heFFTe it expects streams, std::iota and assert in that
// header. heffte_client [bad]
#include <fftw3.h>
#include <heffte.h>

#include <cstdio>
#include <memory>
#include <sstream>

#include "../../support/check_mpi.h"

#ifndef Heffte_ENABLE_FFTW
#error "heFFTe without FFTW"
#endif

namespace {

using heffte::box3d;
using backend = heffte::backend::fftw;

const box3d<> world({0, 0, 0}, {9, 11, 7});
const box3d<> half_world = world.r2c(2);

double value(std::size_t i) { return std::sin(1.0 + 3.7 * static_cast<double>(i)); }

// Calls visit(index in the local array, index in an array of the box `whole`) for each point of a box.
template <class Visit>
void each(const box3d<>& box, const box3d<>& whole, Visit visit) {
  std::size_t strides[3] = {}, stride = 1;
  for (int place = 0; place < 3; place++) {
    strides[box.order[static_cast<std::size_t>(place)]] = stride;
    stride *= static_cast<std::size_t>(box.osize(place));
  }
  for (int k = box.low[2]; k <= box.high[2]; k++)
    for (int j = box.low[1]; j <= box.high[1]; j++)
      for (int i = box.low[0]; i <= box.high[0]; i++)
        visit(static_cast<std::size_t>(i - box.low[0]) * strides[0] +
                  static_cast<std::size_t>(j - box.low[1]) * strides[1] +
                  static_cast<std::size_t>(k - box.low[2]) * strides[2],
              static_cast<std::size_t>(i + whole.size[0] * (j + whole.size[1] * k)));
}

struct mine {
  MPI_Comm comm = MPI_COMM_WORLD;
  int me = heffte::mpi::comm_rank(comm);
  int ranks = heffte::mpi::comm_size(comm);
  box3d<> brick =
      heffte::split_world(world, heffte::proc_setup_min_surface(world, ranks))[static_cast<std::size_t>(me)];
  box3d<> half = heffte::split_world(half_world, {{1, ranks, 1}})[static_cast<std::size_t>(me)];
};

// The complex numbers of a whole array, and their spectrum.
struct whole_array {
  std::vector<std::complex<double>> points, spectrum;
  explicit whole_array(bool real) : points(static_cast<std::size_t>(world.count())), spectrum(points) {
    for (std::size_t i = 0; i < points.size(); i++) points[i] = {value(i), real ? 0 : value(i + 1000)};
    auto* const in = reinterpret_cast<fftw_complex*>(points.data());
    auto* const out = reinterpret_cast<fftw_complex*>(spectrum.data());
    const fftw_plan plan =
        fftw_plan_dft_3d(world.size[2], world.size[1], world.size[0], in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
  }
};

template <class Real>
void complex_bricks(const mine& at, double tolerance) {
  using number = std::complex<Real>;
  const whole_array all(false);
  const box3d<> pencil = heffte::split_world(box3d<>(world.low, world.high, {{2, 0, 1}}),
                                             {{at.ranks, 1, 1}})[static_cast<std::size_t>(at.me)];
  heffte::plan_options options = heffte::default_options<backend>();
  options.use_pencils = false;
  options.algorithm = heffte::reshape_algorithm::p2p;
  heffte::fft3d<backend> fft(at.brick, pencil, at.comm, options);
  CHECK(fft.size_inbox() == at.brick.count() && fft.outbox() == pencil && pencil.osize(0) == world.size[2]);
  std::vector<number> in(static_cast<std::size_t>(fft.size_inbox())), out(static_cast<std::size_t>(fft.size_outbox()));
  std::vector<number> workspace(fft.size_workspace());
  each(at.brick, world, [&](std::size_t to, std::size_t from) { in[to] = number(all.points[from]); });
  heffte::add_trace("forward");
  fft.forward(in.data(), out.data(), workspace.data());
  each(pencil, world,
       [&](std::size_t i, std::size_t g) { CHECK(std::abs(out[i] - number(all.spectrum[g])) < tolerance); });
  const std::vector<number> back = fft.backward(out, heffte::scale::full);
  for (std::size_t i = 0; i < in.size(); i++) CHECK(std::abs(back[i] - in[i]) < tolerance);
  const std::vector<number> scaled = fft.forward(in, heffte::scale::symmetric);
  for (std::size_t i = 0; i < out.size(); i++)
    CHECK(std::abs(scaled[i] - out[i] * static_cast<Real>(fft.get_scale_factor(heffte::scale::symmetric))) < tolerance);
}

// Real input of a complex transform, and FFTW's own complex type.
void real_numbers_as_complex(const mine& at) {
  const whole_array all(true);
  const auto fft = heffte::make_fft3d<backend>(at.brick, at.brick, at.comm);
  std::vector<double> in(static_cast<std::size_t>(fft.size_inbox())), back(in);
  each(at.brick, world, [&](std::size_t to, std::size_t from) { in[to] = all.points[from].real(); });
  fftw_complex* const out = fftw_alloc_complex(in.size() + 1);
  fft.forward(in.data(), out);
  each(at.brick, world, [&](std::size_t i, std::size_t g) {
    CHECK(std::abs(std::complex<double>(out[i][0], out[i][1]) - all.spectrum[g]) < 1e-10);
  });
  fft.backward(out, back.data(), heffte::scale::full);
  for (std::size_t i = 0; i < in.size(); i++) CHECK(std::abs(back[i] - in[i]) < 1e-12);
  const auto spectrum = fft.forward(in);
  CHECK(std::abs(fft.backward_real(spectrum, heffte::scale::full).at(0) - in[0]) < 1e-12);
  fftw_free(out);
}

// Two real arrays in one call, in an object that is moved and kept, as codes do.
void real_batch(const mine& at) {
  const whole_array all(true);
  std::unique_ptr<heffte::fft3d_r2c<backend>> kept;
  {
    heffte::fft3d_r2c<backend> fft(at.brick, at.half, 2, at.comm);
    kept = std::make_unique<heffte::fft3d_r2c<backend>>(std::move(fft));
  }
  const auto size = static_cast<std::size_t>(kept->size_inbox()), half = static_cast<std::size_t>(kept->size_outbox());
  std::vector<double> in(2 * size), back(2 * size);
  std::vector<std::complex<double>> out(2 * half), workspace(2 * kept->size_workspace());
  each(at.brick, world, [&](std::size_t to, std::size_t from) {
    in[to] = all.points[from].real();
    in[size + to] = 2 * in[to];
  });
  kept->forward(2, in.data(), out.data(), workspace.data());
  each(at.half, half_world, [&](std::size_t i, std::size_t g) {  // the slowest axis is halved, so g is the same in both
    CHECK(std::abs(out[i] - all.spectrum[g]) < 1e-10 && std::abs(out[half + i] - 2.0 * all.spectrum[g]) < 1e-10);
  });
  kept->backward(2, out.data(), back.data(), heffte::scale::full);
  for (std::size_t i = 0; i < in.size(); i++) CHECK(std::abs(back[i] - in[i]) < 1e-12);
  std::vector<double> one(size);
  std::iota(one.begin(), one.end(), 0);
  assert(one.empty() || one[0] == 0);
  const std::vector<double> again = kept->backward(kept->forward(one), heffte::scale::full);
  for (std::size_t i = 0; i < size; i++) CHECK(std::abs(again[i] - one[i]) < 1e-12);
}

void cosines(const mine& at) {
  const heffte::rtransform<heffte::backend::fftw_cos> fft(at.brick, at.brick, at.comm);
  std::vector<double> whole(static_cast<std::size_t>(world.count())), in(static_cast<std::size_t>(fft.size_inbox()));
  for (std::size_t i = 0; i < whole.size(); i++) whole[i] = value(i);
  each(at.brick, world, [&](std::size_t to, std::size_t from) { in[to] = whole[from]; });
  const fftw_plan plan = fftw_plan_r2r_3d(world.size[2], world.size[1], world.size[0], whole.data(), whole.data(),
                                          FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  const std::vector<double> out = fft.forward(in);
  each(at.brick, world, [&](std::size_t i, std::size_t g) { CHECK(std::abs(out[i] - whole[g]) < 1e-9); });
  CHECK(std::abs(fft.get_scale_factor(heffte::scale::full) * 8 * static_cast<double>(world.count()) - 1) < 1e-12);
  const std::vector<double> back = fft.backward(out, heffte::scale::full);
  for (std::size_t i = 0; i < in.size(); i++) CHECK(std::abs(back[i] - in[i]) < 1e-12);
}

// The names that heFFTe's own examples, tests and benchmarks use beside the classes.
void names(const mine& at) {
  using cpu = heffte::tag::cpu;
  using chosen = heffte::backend::default_backend<cpu>::type;
  static_assert(heffte::backend::is_enabled<chosen>::value && !heffte::backend::uses_gpu<chosen>::value);
  static_assert(std::is_same_v<heffte::backend::buffer_traits<chosen>::location, cpu>);
  CHECK(heffte::backend::name<chosen>() == "fftw" && heffte::backend::name<heffte::backend::stock>() == "stock");
  CHECK(heffte::backend::name<heffte::backend::fftw_cos>() == "fftw-cos-type-II");
  const std::array<int, 2> grids[] = {{{1, 1}}, {{1, 17}}, {{4, 5}}, {{8, 16}}, {{81, 81}}};
  for (const auto& grid : grids) CHECK(heffte::make_procgrid(grid[0] * grid[1]) == grid);

  heffte::plan_options options = heffte::default_options<chosen>();
  options.use_reorder = false;
  options.algorithm = heffte::reshape_algorithm::p2p_plined;
  options.use_pencils = false;
  std::ostringstream printed;
  printed << options;
  CHECK(printed.str() == "options = (fft1d:strided, mpi:point-to-point-pipelined, decomposition:slab, mpi:from-cpu)");

  const heffte::backend::device_instance<cpu> device;
  heffte::fft3d<chosen> fft(device.stream(), at.brick, at.brick, at.comm, options);
  auto work = heffte::make_buffer_container<std::complex<double>>(device.stream(), fft.size_workspace());
  decltype(fft)::buffer_container<double> in(static_cast<std::size_t>(fft.size_inbox()), 2.0);
  auto out = heffte::make_buffer_container<std::complex<double>>(device.stream(), in.size());
  fft.forward(in.data(), out.data(), work.data(), heffte::scale::full);
  device.synchronize_device();
  double sum = 0, all = 0;
  for (const auto& z : out) sum += std::abs(z);
  MPI_Allreduce(&sum, &all, 1, heffte::mpi::type_from<double>(), MPI_SUM, at.comm);
  CHECK(std::abs(all - 2) < 1e-12);
  CHECK(heffte::mpi::world_rank(heffte::mpi::world_rank()));
}

// Boxes that do not cover the array, a spectrum of another size, and a vector that is too short.
void bad(const mine& at) {
  int caught = 0;
  const auto refused = [&](auto make) {
    try {
      make();
    } catch (const std::invalid_argument& e) {
      caught++;
      if (at.me == 0) std::puts(e.what());
    }
  };
  const box3d<> none({0, 0, 0}, {-1, -1, -1});
  refused([&] { heffte::fft3d<backend>(at.me == 0 ? none : at.brick, at.brick, at.comm); });
  refused([&] { heffte::fft3d_r2c<backend>(at.brick, at.brick, 2, at.comm); });
  refused([&] { heffte::fft3d_r2c<backend>(at.brick, at.half, 3, at.comm); });
  refused([&] { heffte::fft3d<backend>(at.brick, at.brick, at.comm).forward(std::vector<double>(1)); });
  CHECK(caught == 4);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  heffte::init_tracing("heffte_client");
  const mine at;
  CHECK(heffte::find_world(heffte::split_world(world, {{1, 2, 3}})) == world);
  if (argc > 1) {
    bad(at);
  } else {
    complex_bricks<double>(at, 1e-10);
    complex_bricks<float>(at, 2e-3);
    real_numbers_as_complex(at);
    real_batch(at);
    cosines(at);
    names(at);
  }
  static const heffte::fft3d<backend> outlives(at.brick, at.brick, at.comm);
  outlives.forward(std::vector<float>(static_cast<std::size_t>(outlives.size_inbox())));
  heffte::finalize_tracing();
  MPI_Finalize();
  if (at.me == 0) std::cout << "all right" << std::endl;
}
