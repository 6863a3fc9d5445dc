#include "heat_exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double cot(double x) { return cos(x) / sin(x); }

heat_values_t heat_exact(int rows, int cols, int steps) {
  const double m = rows + 1, n = cols + 1;
  const int i = (rows + 1) / 2, j = (cols + 1) / 2;
  double mean = 0.0, centre = 0.0;
  for (int k = 1; k <= rows; k += 2) {
    for (int l = 1; l <= cols; l += 2) {
      const double cots = cot(k * pi / (2 * m)) * cot(l * pi / (2 * n));
      const double decay = pow(0.2 * cos(k * pi / m) + 0.8 * cos(l * pi / n), steps);
      const double term = 4.0 / (m * n) * cots * decay;
      mean += term * cots;
      centre += term * sin(k * pi * i / m) * sin(l * pi * j / n);
    }
  }
  return (heat_values_t){1.0 - mean / ((double)rows * cols), 1.0 - centre};
}
