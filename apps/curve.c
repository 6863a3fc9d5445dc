#include "curve.h"

#include <math.h>
#include <stdio.h>

enum { width = 640, height = 360, left = 70, top = 40, right = 20, bottom = 45 };

typedef struct frame {
  int steps, lowest, highest; /* powers of ten */
} frame_t;

static double x_of(const frame_t* f, double step) {
  return left + (width - left - right) * step / (f->steps > 1 ? f->steps - 1 : 1);
}

static double y_of(const frame_t* f, double exponent) {
  return top + (height - top - bottom) * (f->highest - exponent) / (f->highest - f->lowest);
}

static frame_t frame_of(const double* value, int n) {
  frame_t f = {.steps = n, .lowest = 0, .highest = 1};
  int first = 1;
  for (int i = 0; i < n; i++) {
    if (!(value[i] > 0.0)) continue;
    const int below = (int)floor(log10(value[i])), above = (int)ceil(log10(value[i]));
    if (first || below < f.lowest) f.lowest = below;
    if (first || above > f.highest) f.highest = above;
    first = 0;
  }
  if (f.lowest == f.highest) f.highest++;
  return f;
}

static void draw_axes(FILE* to, const frame_t* f) {
  const int each = (f->highest - f->lowest + 7) / 8, steps = (f->steps + 7) / 8;
  for (int e = f->lowest; e <= f->highest; e += each)
    fprintf(to,
            "<path class='grid' d='M%d %.1fH%d'/><text x='%d' y='%.1f' text-anchor='end'>"
            "1e%d</text>\n",
            left, y_of(f, e), width - right, left - 8, y_of(f, e) + 4, e);
  for (int i = 0; i < f->steps; i += steps)
    fprintf(to, "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n", x_of(f, i), height - bottom + 20, i);
}

int curve_write(const char* path, const char* title, const double* value, int n) {
  const frame_t f = frame_of(value, n);
  FILE* to = fopen(path, "w");
  if (to == NULL) return 1;
  fprintf(
      to,
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
      "font-family='sans-serif' font-size='12' fill='#777'>\n<style>.grid{stroke:#7775;fill:none}.curve{stroke:#d9534f;"
      "stroke-width:2;fill:none}</style>\n<text x='%d' y='22' font-size='15'>%s</text>\n",
      width, height, left, title);
  draw_axes(to, &f);
  fprintf(to, "<path class='curve' d='");
  for (int i = 0, pen = 'M'; i < n; i++, pen = 'L')
    if (value[i] > 0.0) fprintf(to, "%c%.1f %.1f", pen, x_of(&f, i), y_of(&f, log10(value[i])));
  fprintf(to, "'/>\n</svg>\n");
  const int failed = ferror(to);
  return fclose(to) != 0 || failed;
}
