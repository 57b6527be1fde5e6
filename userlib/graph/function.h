/* SPDX-License-Identifier: MIT */
/* Functions of one and of two variables, for the operators UNARY and BINARY and as activations. */
#ifndef LOOM_GRAPH_FUNCTION_H
#define LOOM_GRAPH_FUNCTION_H

/**
 * enum loom_gfn - functions of one variable, with float parameters alpha and beta
 *
 * @LOOM_GFN_NONE: the identity; as a fused activation: no activation
 * @LOOM_GFN_RELU: max(x, 0)
 * @LOOM_GFN_CLIP: min(max(x, alpha), beta); an open bound is an infinity
 * @LOOM_GFN_LEAKY_RELU: x < 0 ? alpha * x : x
 * @LOOM_GFN_SIGMOID: 1 / (1 + exp(-x))
 * @LOOM_GFN_HARD_SIGMOID: max(0, min(1, alpha * x + beta))
 * @LOOM_GFN_HARD_SWISH: x * max(0, min(1, x / 6 + 0.5))
 * @LOOM_GFN_TANH: tanh(x)
 * @LOOM_GFN_ELU: x < 0 ? alpha * (exp(x) - 1) : x
 * @LOOM_GFN_SELU: beta * (x > 0 ? x : alpha * exp(x) - alpha)
 * @LOOM_GFN_CELU: max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
 * @LOOM_GFN_THRESHOLDED_RELU: x > alpha ? x : 0
 * @LOOM_GFN_SHRINK: x < -beta ? x + alpha : x > beta ? x - alpha : 0
 * @LOOM_GFN_SOFTPLUS: log(exp(x) + 1)
 * @LOOM_GFN_SOFTSIGN: x / (1 + |x|)
 * @LOOM_GFN_MISH: x * tanh(softplus(x))
 * @LOOM_GFN_GELU: 0.5 * x * (1 + erf(x / sqrt(2)))
 * @LOOM_GFN_GELU_TANH: 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
 * @LOOM_GFN_SQRT: square root
 * @LOOM_GFN_EXP: e^x
 * @LOOM_GFN_LOG: natural logarithm
 * @LOOM_GFN_NEG: -x
 * @LOOM_GFN_ABS: |x|
 * @LOOM_GFN_SIGN: -1, 0, 1
 * @LOOM_GFN_ERF: error function
 * @LOOM_GFN_RECIPROCAL: 1 / x
 * @LOOM_GFN_FLOOR: round down
 * @LOOM_GFN_CEIL: round up
 * @LOOM_GFN_ROUND: round half to even
 * @LOOM_GFN_NOT: !x, BOOL only
 * @LOOM_GFN_SIN: sine
 * @LOOM_GFN_COS: cosine
 * @LOOM_GFN_TAN: tangent
 * @LOOM_GFN_ASIN: inverse sine
 * @LOOM_GFN_ACOS: inverse cosine
 * @LOOM_GFN_ATAN: inverse tangent
 * @LOOM_GFN_SINH: hyperbolic sine
 * @LOOM_GFN_COSH: hyperbolic cosine
 * @LOOM_GFN_ASINH: inverse hyperbolic sine
 * @LOOM_GFN_ACOSH: inverse hyperbolic cosine
 * @LOOM_GFN_ATANH: inverse hyperbolic tangent
 * @LOOM_GFN_ISNAN: x is not a number, result BOOL
 * @LOOM_GFN_ISINF: alpha != 0 && x == -inf || beta != 0 && x == inf, result BOOL
 * @LOOM_GFN_COUNT: number of functions
 *
 * RELU, CLIP, NEG, ABS and SIGN also exist for integers.
 */
enum loom_gfn {
	LOOM_GFN_NONE,
	LOOM_GFN_RELU,
	LOOM_GFN_CLIP,
	LOOM_GFN_LEAKY_RELU,
	LOOM_GFN_SIGMOID,
	LOOM_GFN_HARD_SIGMOID,
	LOOM_GFN_HARD_SWISH,
	LOOM_GFN_TANH,
	LOOM_GFN_ELU,
	LOOM_GFN_SELU,
	LOOM_GFN_CELU,
	LOOM_GFN_THRESHOLDED_RELU,
	LOOM_GFN_SHRINK,
	LOOM_GFN_SOFTPLUS,
	LOOM_GFN_SOFTSIGN,
	LOOM_GFN_MISH,
	LOOM_GFN_GELU,
	LOOM_GFN_GELU_TANH,
	LOOM_GFN_SQRT,
	LOOM_GFN_EXP,
	LOOM_GFN_LOG,
	LOOM_GFN_NEG,
	LOOM_GFN_ABS,
	LOOM_GFN_SIGN,
	LOOM_GFN_ERF,
	LOOM_GFN_RECIPROCAL,
	LOOM_GFN_FLOOR,
	LOOM_GFN_CEIL,
	LOOM_GFN_ROUND,
	LOOM_GFN_NOT,
	LOOM_GFN_SIN,
	LOOM_GFN_COS,
	LOOM_GFN_TAN,
	LOOM_GFN_ASIN,
	LOOM_GFN_ACOS,
	LOOM_GFN_ATAN,
	LOOM_GFN_SINH,
	LOOM_GFN_COSH,
	LOOM_GFN_ASINH,
	LOOM_GFN_ACOSH,
	LOOM_GFN_ATANH,
	LOOM_GFN_ISNAN,
	LOOM_GFN_ISINF,
	LOOM_GFN_COUNT,
};

/**
 * enum loom_gbin - functions of two variables
 *
 * @LOOM_GBIN_ADD: a + b
 * @LOOM_GBIN_SUB: a - b
 * @LOOM_GBIN_MUL: a * b
 * @LOOM_GBIN_DIV: a / b; integers truncate towards zero
 * @LOOM_GBIN_POW: a to the power b
 * @LOOM_GBIN_MAX: the larger; a NaN wins
 * @LOOM_GBIN_MIN: the smaller; a NaN wins
 * @LOOM_GBIN_MOD: remainder with the sign of b (integers)
 * @LOOM_GBIN_FMOD: remainder with the sign of a
 * @LOOM_GBIN_EQUAL: a == b, result BOOL, as for the next four
 * @LOOM_GBIN_LESS: a < b
 * @LOOM_GBIN_GREATER: a > b
 * @LOOM_GBIN_LESS_EQUAL: a <= b
 * @LOOM_GBIN_GREATER_EQUAL: a >= b
 * @LOOM_GBIN_AND: a && b, BOOL
 * @LOOM_GBIN_OR: a || b, BOOL
 * @LOOM_GBIN_XOR: a != b, BOOL
 * @LOOM_GBIN_PRELU: a < 0 ? a * b : a
 * @LOOM_GBIN_COUNT: number of functions
 */
enum loom_gbin {
	LOOM_GBIN_ADD,
	LOOM_GBIN_SUB,
	LOOM_GBIN_MUL,
	LOOM_GBIN_DIV,
	LOOM_GBIN_POW,
	LOOM_GBIN_MAX,
	LOOM_GBIN_MIN,
	LOOM_GBIN_MOD,
	LOOM_GBIN_FMOD,
	LOOM_GBIN_EQUAL,
	LOOM_GBIN_LESS,
	LOOM_GBIN_GREATER,
	LOOM_GBIN_LESS_EQUAL,
	LOOM_GBIN_GREATER_EQUAL,
	LOOM_GBIN_AND,
	LOOM_GBIN_OR,
	LOOM_GBIN_XOR,
	LOOM_GBIN_PRELU,
	LOOM_GBIN_COUNT,
};

/**
 * struct loom_gact - a function of one variable with its parameters
 * @fn: which function
 * @alpha: first parameter, see enum loom_gfn
 * @beta: second parameter
 */
struct loom_gact {
	enum loom_gfn fn;
	float alpha;
	float beta;
};

/** loom_gfn_name() - "relu", ... */
const char *loom_gfn_name(enum loom_gfn fn);
/** loom_gbin_name() - "add", ... */
const char *loom_gbin_name(enum loom_gbin fn);

#endif /* LOOM_GRAPH_FUNCTION_H */
