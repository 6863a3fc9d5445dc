/* The closed form of the field that heat_image computes, after n Jacobi steps:
 *
 *     f(i,j) = 1 - sum over odd k, l of a_kl lambda_kl^n sin(k pi i / (rows+1)) sin(l pi j / (cols+1))
 *
 *     a_kl = 4 / ((rows+1)(cols+1)) cot(k pi / 2(rows+1)) cot(l pi / 2(cols+1))
 *
 *     lambda_kl = 0.2 cos(k pi / (rows+1)) + 0.8 cos(l pi / (cols+1)) */
#ifndef HEAT_EXACT_H
#define HEAT_EXACT_H

typedef struct heat_values {
  double mean;   /* of all cells inside the rim */
  double centre; /* cell ((rows+1)/2, (cols+1)/2), counted from 1 */
} heat_values_t;

heat_values_t heat_exact(int rows, int cols, int steps);

#endif
