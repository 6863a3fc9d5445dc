/* A curve of positive numbers, by their logarithms, as SVG. */
#ifndef CURVE_H
#define CURVE_H

/* `value[i]` of step i; zeros and less are left out. Non-zero: the file cannot be written, errno
 * says why. */
int curve_write(const char* path, const char* title, const double* value, int n);

#endif
