# SPDX-License-Identifier: BSD-3-Clause
"""Random programs have the same outputs with and without the reduction of orders, and fail or race with both or with none. In some
a PE ends with a status when it has read some value. Of programs with too many orders without the reduction, random orders give no other
output, and fail only if the search finds a failure.

usage: reduction_test.py --bin FOLDER [--programs N]

OSHEN_SEED chooses the programs.
"""

import os
import random
import re
import time
from dataclasses import dataclass

from explored import ExploredProgram, main, option

MOST_ORDERS = 500  # without reduction
RANDOM_ORDERS = 300  # of programs with more


@dataclass(frozen=True)
class Found:
    fails: bool
    races: bool
    complete: bool
    orders: int
    outputs: frozenset


KINDS = "pppnnsiihgggefclltSFFQzwLx"
THREADED = "pgSlsfeFQVVvvMMMkOo"
FEW_RACES = "ppgssiihefwFFQQLLkkkkkk"  # mostly steps that order others, and accesses after a look at a flag


def steps_of(chance, pe, n_steps, kinds):
    """Words of random_program.c, without barriers."""
    words = []
    while len(words) < n_steps:
        variable, own = chance.choice("ab"), "ab"[pe % 2]
        kind = chance.choice(kinds)
        if kind in "FQ":
            words.append(kind)
        elif kind == "L":
            lock = chance.randrange(2)
            words += [f"La{lock}", f"{chance.choice('pgi')}{variable}{chance.randint(1, 3)}", f"Ua{lock}"]
        elif kind == "M":
            words += ["Ma0", f"{chance.choice('Vvpg')}{variable}{chance.randint(1, 3)}", "ma0"]
        elif kind in "ltSzw":  # on the PE's own memory
            if pe < 2:
                words.append(f"{kind}{own}{chance.randint(1, 3)}")
        elif kind == "k":
            other = "b" if variable == "a" else "a"
            words += [f"e{variable}0", "k-1", f"{chance.choice('pgp')}{other}{chance.randint(1, 3)}"]
        elif kind == "x":
            words.append(f"x-{chance.randint(0, 2)}")
        else:
            words.append(f"{kind}{variable}{chance.randint(1, 3)}")
    return words


def program_of(chance, kinds=KINDS):
    n_pes = chance.choice((2, 2, 3))
    parts = [steps_of(chance, pe, chance.randint(1, 3 if n_pes == 2 else 2), kinds) for pe in range(n_pes)]
    if chance.random() < 0.3:
        meeting = chance.choice("BY")
        for part in parts:
            outside = [i for i in range(len(part) + 1) if sum(w[0] == "L" for w in part[:i]) == sum(w[0] == "U" for w in part[:i])]
            part.insert(chance.choice(outside), meeting)
    return [" ".join(part) for part in parts]


def threaded_program_of(chance):
    """One PE or two, of which the first has two threads."""
    n_pes = chance.choice((1, 1, 2))
    both = [steps_of(chance, 0, chance.randint(1, 2), THREADED) for _ in range(2)]
    if n_pes == 1:
        both = [[word.replace("b", "a") for word in words] for words in both]
    if chance.random() < 0.3:
        for value, words in enumerate(both):
            words.append(f"Ca{value + 1}")
    parts = [" | ".join(" ".join(words) for words in both)]
    return parts + [" ".join(steps_of(chance, pe, 1, KINDS)) for pe in range(1, n_pes)]


def counting_program_of(chance):
    """PE 0 waits for counters and flags that others change, and one of several changes lets it go. Then it reads."""
    n_pes = chance.choice((2, 3, 3))
    tells = {"r": "h", "y": "A", "G": "A", "W": "i"}  # by the step that waits
    wait = chance.choice("rryGWW")
    told = 0
    parts = []
    for _ in range(1, n_pes):
        words = []
        for _ in range(chance.randint(1, 2)):
            words += [*chance.choice(([], [f"pa{chance.randint(1, 3)}"], [f"pb{chance.randint(1, 3)}"], ["fb0"])), *chance.choice(([], ["F"]))]
            words.append(f"{tells[wait]}a{chance.randint(1, 3)}")
            told += 1
        parts.append(" ".join(words))
    most = {"G": n_pes, "y": 0}.get(wait, told)
    first = [f"{'A' if wait == 'G' else chance.choice('pi')}{chance.choice('aab')}0", *chance.choice(([], ["F"], ["fb0"]))]
    return [" ".join([*first, f"{wait}a{chance.randint(1, max(most, 1))}", chance.choice(("la0", "za0", "fb0", "gb0"))]), *parts]


def waiting_program_of(chance):
    """Two PEs that wait, while flags are set and reset."""
    def steps(pe):
        own = "ab"[pe]
        words = []
        for kind in chance.choices("sscfwwwegSlQ", k=chance.randint(2, 4)):
            words.append("w" + own + "0" if kind == "w" else f"{kind}{own if kind in 'Sl' else chance.choice('ab')}{chance.randint(0, 1)}")
        return " ".join(words)
    return [steps(0), steps(1)]


def chosen_seed():
    seed = int(os.environ.get("OSHEN_SEED", time.time_ns() % 10**9))
    print(f"seed {seed} (OSHEN_SEED repeats it)", flush=True)
    return seed


class Reduction(ExploredProgram):
    def found(self, parts, every_order, *more, orders=MOST_ORDERS):
        os.environ.pop("OSHEN_TEST_EXPLORE_ALL", None)
        if every_order:
            os.environ["OSHEN_TEST_EXPLORE_ALL"] = "1"
        job = self.oshrun("--explore", *more, "-n", len(parts), "--any-output", "--orders", orders, self.built("random_program"), *parts)
        os.environ.pop("OSHEN_TEST_EXPLORE_ALL", None)
        self.assertIn(job.returncode, (0, 1, 3), job.stdout)
        said = re.search(r"^explore: (?:error in \d+ of )?(all )?(\d+) (?:tried |random )?orders?", job.stdout, re.M)
        self.assertIsNotNone(said, job.stdout)
        outputs = re.split(r"^output of .*\n", job.stdout, flags=re.M)[1:]
        return Found(job.returncode != 0, job.stdout.startswith("explore: race: "), said[1] is not None, int(said[2]), frozenset(outputs))

    def test_random_programs(self):
        self.compare(program_of)

    def compare(self, make):
        seed = chosen_seed()
        chance = random.Random(seed)
        compared = orders = without = failing = ended = sampled = 0
        for _ in range(int(option("--programs", "25"))):
            parts = make(chance)
            everything = self.found(parts, True)
            if not everything.fails and not everything.complete:
                sampled += self.compare_with_random_orders(parts, seed)
                continue
            with self.subTest(seed=seed, program=parts):
                reduced = self.found(parts, False)
                self.assertEqual(reduced.fails, everything.fails)
                if everything.complete and reduced.complete:
                    self.assertEqual(reduced.outputs, everything.outputs)
                    orders, without = orders + reduced.orders, without + everything.orders
                    ended += everything.fails
                failing += everything.fails
            compared += 1
        print(f"{compared} programs, {failing} of them fail, {ended} of these in searches of all orders; {orders} orders instead of "
              f"{without}; {sampled} more programs in random orders")
        self.assertGreater(compared, 0)

    def compare_with_random_orders(self, parts, seed):
        """Returns whether the search with reduction visits all orders, so that they can be compared."""
        reduced = self.found(parts, False)
        if not reduced.complete:
            return False
        chosen = self.found(parts, False, "--random", seed, orders=RANDOM_ORDERS)
        with self.subTest(seed=seed, program=parts):
            self.assertLessEqual(chosen.fails, reduced.fails)
            self.assertLessEqual(chosen.outputs, reduced.outputs)
        return True

    def test_programs_that_count(self):
        self.compare(counting_program_of)

    def test_programs_that_wait(self):
        self.compare(waiting_program_of)

    def test_programs_with_threads(self):
        self.compare(threaded_program_of)

    def test_races(self):
        seed = chosen_seed()
        chance = random.Random(seed)
        compared = racing = 0
        for _ in range(int(option("--programs", "25"))):
            parts = program_of(chance, FEW_RACES)
            everything = self.found(parts, True, "--races")
            if not everything.fails and not everything.complete:
                continue
            with self.subTest(seed=seed, program=parts):
                reduced = self.found(parts, False, "--races")
                self.assertEqual(reduced.fails, everything.fails)
                if everything.complete and reduced.complete:
                    self.assertEqual(reduced.races, everything.races)
            compared += 1
            racing += everything.races
        print(f"{compared} programs, {racing} of them race")
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    main()
