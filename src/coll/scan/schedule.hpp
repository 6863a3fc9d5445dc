// What the schedules of scans share. Each makes inclusive sums in dest; an exclusive scan then moves them one PE on.
#pragma once

#include "coll/algorithms.hpp"
#include "coll/wire/wires.hpp"

namespace oshen::coll {

inline constexpr int shift_step = 29;  // of the cells

// Every PE gets what the PE before it has; PE 0 gets zeros, which is what zero bits are in every type that scans have.
template <class Wire>
void shift(const task& job) {
  const team& t = job.members;
  task moving = job;
  moving.combine = [](void*, const void*, std::size_t) {};  // what comes from the lower PE is the left operand, and stays
  Wire wire(moving);
  wire.trade(t.my_pe + 1 < t.n_pes ? t.my_pe + 1 : -1, t.my_pe - 1, shift_step, job.dest, job.elements);
  wire.settle();
  if (t.my_pe == 0) memset(job.dest, 0, job.bytes());
}

// `inclusive(job, wire)` leaves the inclusive sums in dest, which holds the source before.
template <class Wire, void (*inclusive)(const task&, Wire&)>
void run_inscan(const task& job) {
  if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
  Wire wire(job);
  inclusive(job, wire);
  wire.settle();
}

template <class Wire, void (*inclusive)(const task&, Wire&)>
void run_exscan(const task& job) {
  run_inscan<Wire, inclusive>(job);
  shift<Wire>(job);
}

}  // namespace oshen::coll
