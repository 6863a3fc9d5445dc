/* Draws positive numbers as a curve on a logarithmic scale, as SVG. */
#ifndef CURVE_H
#define CURVE_H

/* `value[i]` belongs to step i; values that are not positive are left out. Returns non-zero, with errno set, if the
 * file cannot be written. */
int curve_write(const char* path, const char* title, const double* value, int n);

#endif
