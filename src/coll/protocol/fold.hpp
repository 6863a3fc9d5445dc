// Teams that are no power of two: of the first 2 * extra PEs the even ones hand what they have to the next one, and
// wait for the result; the others work as a team of a power of two.
#pragma once

#include <algorithm>

namespace oshen::coll {

struct fold {
  int power = 1;       // PEs that work
  int extra = 0;       // PEs that do not
  int place = -1;      // of this PE among those that work
  int me;
  const int* who;      // PEs of the team that take part, in order; null: all

  fold(int n, int number, const int* taking_part = nullptr) : me(number), who(taking_part) {
    while (power * 2 <= n) power *= 2;
    extra = n - power;
    if (me >= 2 * extra)
      place = me - extra;
    else if (me % 2 == 1)
      place = me / 2;
  }
  int pe_at(int at) const { return team_pe(at < extra ? 2 * at + 1 : at + extra); }
  // The first of the PEs that the place `at` stands for: itself, and the one that has folded into it.
  int first_pe(int at) const { return team_pe(at + std::min(at, extra)); }
  bool folded() const { return me < 2 * extra; }
  int team_pe(int number) const { return who != nullptr ? who[number] : number; }
  int other() const { return team_pe(me ^ 1); }  // where `folded`: the even one hands over to the odd one
};

// Steps of the cells that folding uses.
inline constexpr int fold_step = 28, unfold_step = 29;

}  // namespace oshen::coll
