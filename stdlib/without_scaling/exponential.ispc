// exp and exp2 of float for processors without an instruction that scales by powers of two: for a gang, too, a jump costs less than
// what keeps the ends of the range right.

float exp(float x) { return exp_of_one_float<float>(x); }
float exp2(float x) { return exp2_of_one_float<float>(x); }
