// SPDX-License-Identifier: Apache-2.0

/** One small case of every TTIR op that the reference interpreter knows, as front ends write it. */

import { BINARY, UNARY } from "../../testing/interpreter/elementwise.ts";

/** An op with the types of its operands and results, and its properties as text. */
export interface SingleOp {
  readonly name: string;
  readonly operands: readonly string[];
  readonly results: readonly string[];
  readonly properties?: string;
}

/** `tensor<2x3xf32>` of `2x3`; with another element type after the extents: `2x3:i32`. */
const type = (words: string): string => {
  const [extents = "", ...elements] = words.split(":");
  const element = elements.length === 0 ? "f32" : elements.join(":");
  return `tensor<${[...(extents === "" ? [] : [extents]), element].join("x")}>`;
};

/**
 * Cases from a line each, `sum 5x33 -> 5x1 <{keep_dim = true}>`: types of operands and results as {@linkcode type} reads
 * them, and properties. Indented lines continue the one before.
 */
function cases(text: string): readonly SingleOp[] {
  return text.trim().replaceAll(/\n +/g, " ").split("\n").map((line) => {
    const [, name = "", operands = "", results = "", properties] =
      /^(\w+)(.*?) -> (.*?)(?: <\{(.*)\}>)?$/.exec(line) ?? [];
    const typesOf = (side: string) => side.trim() === "" ? [] : side.trim().split(" ").map(type);
    return {
      name,
      operands: typesOf(operands),
      results: typesOf(results),
      ...properties === undefined ? {} : { properties },
    };
  });
}

/** Operators on integers, which have no other meaning. */
const INTEGRAL = /^bitwise_|^(?:logical_left|logical_right|right)_shift$/;
/** Names of TTNN alone. */
const NOT_TTIR: ReadonlySet<string> = new Set(["divide", "pow_tensor", "bitwise_right_shift"]);
/** Comparisons, whose results are truth values. */
const TRUTH = /^(?:eq|ne|ge|gt|le|lt|isfinite)$|^logical_(?:and|or|xor|not)$/;

function elementwise(name: string, operands: number): readonly SingleOp[] {
  const element = INTEGRAL.test(name) ? ":i32" : "";
  const result = TRUTH.test(name) ? ":i1" : element;
  return cases(`${name} ${`3x33${element} `.repeat(operands)}-> 3x33${result}`);
}

/** Moves and reductions of tensors that do not fill tiles: kernels refuse bytes, or narrow whole numbers, in many of them. */
const NARROW = ["ui8", "ui16"].flatMap((element) =>
  cases(`
reshape 2x33x65:${element} -> 66x65:${element} <{shape = [66 : i32, 65 : i32]}>
permute 2x33x65:${element} -> 65x2x33:${element} <{permutation = array<i64: 2, 0, 1>}>
pad 2x33x65:${element} -> 2x36x65:${element} <{padding = array<i32: 0, 0, 0, 3, 0, 0>, value = 0.000000e+00 : f32}>
pad 2x33x65:${element} -> 3x33x66:${element} <{padding = array<i32: 1, 0, 0, 0, 1, 0>, value = 0.000000e+00 : f32}>
slice_static 2x33x65:${element} -> 2x32x65:${element} <{begins = [0 : i32, 1 : i32, 0 : i32],
  ends = [2 : i32, 33 : i32, 65 : i32], step = [1 : i32, 1 : i32, 1 : i32]}>
repeat 2x33x65:${element} -> 2x66x65:${element} <{repeat_dimensions = array<i64: 1, 2, 1>}>
max 2x33x65:${element} -> 2x33x1:${element} <{dim_arg = [2 : i32], keep_dim = true}>
sort 3x33:${element} -> 3x33:${element} 3x33:i32 <{dim = 1 : si32, descending = true, stable = false}>
argmax 3x33:${element} -> 3x1:i32 <{dim_arg = [1 : i32], keep_dim = true}>
concat 33x5:${element} 2x5:${element} -> 35x5:${element} <{dim = 0 : si32}>
typecast 197:${element} -> 197:bf16 <{conservative_folding = false}>
`)
);

/** From and to a format, and between two, by one scale and by one per channel, which types or operands say. */
const QUANTIZED = [
  ...[
    ["!quant.uniform<i8:f32,0.25:3>", "!quant.uniform<i8:f32,0.5:-2>"],
    ["!quant.uniform<i8:f32:1,{0.25:3,0.5:-2,2.0}>", "!quant.uniform<i8:f32:1,{0.5,0.25,0.125:7}>"],
  ].flatMap(([from, to]) =>
    cases(`
quantize 2x3x33 -> 2x3x33:${from}
dequantize 2x3x33:${from} -> 2x3x33
requantize 2x3x33:${from} -> 2x3x33:${to}
`)
  ),
  ...[["1", ""], ["3", " <{axis = 1 : i32}>"]].flatMap(([scales, axis]) =>
    cases(`
quantize_unrolled 2x3x33 ${scales} ${scales}:i32 -> 2x3x33:i32${axis}
dequantize_unrolled 2x3x33:i32 ${scales} ${scales}:i32 -> 2x3x33${axis}
requantize_unrolled 2x3x33:i32 ${scales} ${scales}:i32 ${scales} ${scales}:i32 -> 2x3x33:i32${axis}
`)
  ),
];

const IMAGE = "batch_dim = 0 : i64, height_dim = 1 : i64, width_dim = 2 : i64, channel_dim = 3 : i64";
const WINDOW =
  "kernel = array<i32: 2, 3>, stride = array<i32: 2, 1>, dilation = array<i32: 1, 1>, padding = array<i32: 1, 1, 0, 1>, " +
  `ceil_mode = false, ${IMAGE}`;
const EPSILON = "epsilon = 1.000000e-05 : f32";

/** All cases; several for an op whose meaning has cases. Those of caches fill whole tiles: the kernel writes no partial one. */
export const SINGLE_OPS: readonly SingleOp[] = [
  ...NARROW,
  ...Object.keys(UNARY).flatMap((name) => elementwise(name, 1)),
  ...Object.keys(BINARY).filter((name) => !NOT_TTIR.has(name)).flatMap((name) => elementwise(name, 2)),
  ...["sum", "mean", "max", "min"].flatMap((name) =>
    cases(`
${name} 3x5x33 -> 3x1x1 <{dim_arg = [1 : i32, 2 : i32], keep_dim = true}>
${name} 3x5x33 -> 5x33 <{dim_arg = [0 : i32], keep_dim = false}>
`)
  ),
  ...cases(`
prod 3x5x33 -> 5x33 <{dim_arg = [0 : i32], keep_dim = false}>
gelu 3x33 -> 3x33
pow_scalar 3x33 -> 3x33 <{rhs = 2.000000e+00 : f32}>
leaky_relu 3x33 -> 3x33 <{parameter = 1.000000e-01 : f32}>
clamp_scalar 3x33 -> 3x33 <{min = -5.000000e-01 : f32, max = 2.500000e-01 : f32}>
gated_activation 3x66 -> 3x33 <{activation = "swiglu", dim = -1 : si32}>
convert_to_hwc 1x2x5x33 -> 1x1x66x5
clamp 3x33 -> 3x33 <{min = -5.000000e-01 : f32, max = 2.500000e-01 : f32}>
clamp_tensor 3x33 3x33 3x33 -> 3x33
where 3x33:i1 3x33 3x33 -> 3x33
typecast 3x33 -> 3x33:bf16 <{conservative_folding = false}>
bitcast_convert 3x33 -> 3x33:i32
rearrange 3x4x33 -> 12x33 <{pattern = "z y x -> (z y) x"}>
rearrange 3x4x33 -> 12x33 <{pattern = "z y x -> (y z) x"}>
rearrange 3x4x5 -> 5x3x1x4 <{pattern = "z y x -> x z 1 y"}>
reshape 4x33 -> 2x2x33 <{shape = [2 : i32, 2 : i32, 33 : i32]}>
squeeze 4x1x33 -> 4x33 <{dim = -2 : si32}>
unsqueeze 4x33 -> 4x33x1 <{dim = -1 : si32}>
permute 2x3x5 -> 5x2x3 <{permutation = array<i64: 2, 0, 1>}>
transpose 2x3x5 -> 5x3x2 <{dim0 = 0 : si32, dim1 = -1 : si32}>
broadcast 1x5 -> 33x5 <{broadcast_dimensions = array<i64: 33, 1>}>
repeat 2x5 -> 4x15 <{repeat_dimensions = array<i64: 2, 3>}>
repeat_interleave 2x5 -> 2x10 <{repeats = 2 : ui32, dim = 1 : si32}>
concat 2x5 2x33 2x1 -> 2x39 <{dim = -1 : si32}>
slice_static 4x33 -> 2x11 <{begins = [1 : i32, 0 : i32], ends = [4 : i32, 33 : i32], step = [2 : i32, 3 : i32]}>
slice 4x33 -> 2x11 <{begins = [1 : i32, 0 : i32], ends = [4 : i32, 33 : i32], step = [2 : i32, 3 : i32]}>
index 4x33 -> 4x8 <{dim = 1 : i32, begin = 1 : i32, end = 33 : i32, step = 4 : i32}>
index_select 4x12 -> 4x4 <{dim = 1 : si32, begin = 1 : si32, length = 2 : si32, stride = 6 : si32}>
select 4x12 -> 4x4 <{dim = 1 : si32, begin = 1 : si32, length = 2 : si32, stride = 6 : si32}>
reverse 4x33 -> 4x33 <{dimensions = array<i64: 0, 1>}>
reverse 4x33:i32 -> 4x33:i32 <{dimensions = array<i64: 0, 1>}>
reverse 4x33:ui16 -> 4x33:ui16 <{dimensions = array<i64: 0, 1>}>
pad 4x33 -> 5x64 <{padding = array<i32: 0, 1, 31, 0>, value = 1.500000e+00 : f32}>
gather 4x33 4x2:i32 -> 4x2 <{dim = 1 : i32}>
gather 4x33x5 6:i32 -> 4x6x5 <{collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : si64,
  offset_dims = array<i64: 0, 2>, slice_sizes = array<i64: 4, 1, 5>, start_index_map = array<i64: 1>}>
scatter 4x5 4x2:i32 4x2 -> 4x5 <{dim = 1 : i32, scatter_reduce_type = #ttcore.reduce_type<sum>}>
reduce_precision 3x33 -> 3x33 <{exponent_bits = 5 : si32, mantissa_bits = 10 : si32}>
rows_gather 2x12x33 1x2x3:si32 -> 2x6x33 <{column = false, fill_out_of_bounds = false, sizes = array<i64: 3, 4>,
  windows = array<i64: 2, 1>}>
rows_gather 2x12x33:si32 1x2x3:si32 -> 2x6x33:si32 <{column = false, fill_out_of_bounds = false,
  sizes = array<i64: 3, 4>, windows = array<i64: 2, 1>}>
rows_scatter 2x16x33 2x2x3:si32 2x3x33 -> 2x16x33 <{column = false, reduce = #ttcore.reduce_type<sum>,
  sizes = array<i64: 4, 4>, windows = array<i64: 1, 1>}>
embedding 5:i32 4x33 -> 5x33
constant -> 3x33 <{value = dense<2.500000e-01> : tensor<3x33xf32>}>
full -> 3x33 <{shape = array<i32: 3, 33>, fill_value = 7.500000e-01 : f32}>
zeros -> 3x33 <{shape = array<i32: 3, 33>}>
ones -> 3x33 <{shape = array<i32: 3, 33>}>
arange -> 3x33:i32 <{start = 2 : si64, end = 68 : si64, step = 2 : si64, arange_dimension = 1 : i64}>
matmul 2x3x33 33x5 -> 2x3x5 <{transpose_a = false, transpose_b = false}>
matmul 33x3 5x33 -> 3x5 <{transpose_a = true, transpose_b = true}>
linear 3x33 5x33 5 -> 3x5 <{transpose_a = false, transpose_b = true}>
dot_general 2x3x7 7x2x5 -> 2x3x5 <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 1>,
  contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 0>}>
reduce_or 3x33:i1 -> 3:i1 <{dim_arg = [1 : i32], keep_dim = false}>
reduce_and 3x33:i1 -> 3:i1 <{dim_arg = [1 : i32], keep_dim = false}>
argmax 3x33 -> 3x1:i32 <{dim_arg = [1 : i32], keep_dim = true}>
cumsum 3x5 -> 3x5 <{dim = 1 : i64}>
cumprod 3x5 -> 3x5 <{dim = 0 : i64}>
rotary_embedding 1x2x17x64 1x1x17x64 1x1x17x64 -> 1x2x17x64 <{}>
softmax 3x33 -> 3x33 <{dimension = 0 : si32, numericStable = true}>
topk 3x33 -> 3x4 3x4:i32 <{k = 4 : i32, dim = -1 : i32, largest = false, sorted = true}>
sort 3x33 -> 3x33 3x33:i32 <{dim = 1 : si32, descending = true, stable = false}>
layer_norm 3x33 33 33 -> 3x33 <{normalized_shape = array<i64: 33>, ${EPSILON},
  operandSegmentSizes = array<i32: 1, 1, 1>}>
rms_norm 3x33 33 -> 3x33 <{normalized_shape = array<i64: 33>, ${EPSILON}, operandSegmentSizes = array<i32: 1, 1, 0>}>
group_norm 2x1x6x8 -> 2x1x6x8 <{num_groups = 2 : i64, ${EPSILON}, operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
batch_norm_inference 2x3x4x5 3 3 3 3 -> 2x3x4x5 <{dimension = 1 : i32, ${EPSILON}}>
conv2d 1x5x6x4 6x2x3x3 1x1x1x6 -> 1x3x6x6 <{stride = array<i32: 2, 1>, padding = array<i32: 1, 1, 1, 1>,
  dilation = array<i32: 1, 1>, groups = 2 : i32, ${IMAGE}}>
conv_transpose2d 1x4x5x3 3x2x3x3 -> 1x8x10x2 <{stride = array<i32: 2, 2>, padding = array<i32: 1, 1, 1, 1>,
  dilation = array<i32: 1, 1>, output_padding = array<i32: 1, 1>, groups = 1 : i32, ${IMAGE}}>
conv3d 1x3x5x4x6 4x3x2x3x3 1x1x1x1x4 -> 1x2x3x2x4 <{groups = 2 : i32, padding = array<i32: 0, 0, 0>,
  padding_mode = "zeros", stride = array<i32: 1, 1, 1>}>
conv1d 2x7x4 6x2x3 1x1x6 -> 2x4x6 <{stride = 2 : i32, padding = array<i32: 1, 1>, dilation = 1 : i32,
  groups = 2 : i32}>
convolution 1x3x4x5 3x2x3x3 -> 1x2x8x10 <{input_dilation = array<i64: 2, 2>, padding = array<i64: 1, 2, 1, 2>,
  window_strides = array<i64: 1, 1>, weight_dilation = array<i64: 1, 1>, feature_group_count = 1 : i64,
  batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1,
  input_spatial_dimensions = 2x3, kernel_output_feature = 1, kernel_input_feature = 0,
  kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>}>
pooling 1x4x6x6 -> 1x4x3x3 <{pooling_method = #ttir<pooling_method Sum>, window_dimensions = array<i64: 1, 1, 2, 2>,
  window_strides = array<i64: 1, 1, 2, 2>, window_dilations = array<i64: 1, 1, 1, 1>,
  padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>}>
max_pool2d 1x5x6x4 -> 1x3x6x4 <{${WINDOW}}>
avg_pool2d 1x5x6x4 -> 1x3x6x4 <{${WINDOW}, count_include_pad = true}>
global_avg_pool2d 1x5x6x4 -> 1x1x1x4
upsample2d 1x5x6x4 -> 1x10x12x4 <{scale_factor = 2 : si32, mode = "nearest"}>
upsample2d 1x5x6x4:i32 -> 1x10x12x4:i32 <{scale_factor = 2 : si32, mode = "nearest"}>
scaled_dot_product_attention 1x4x6x16 1x2x6x16 1x2x6x16 -> 1x4x6x16 <{is_causal = true,
  operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
scaled_dot_product_attention 1x2x6x8 1x2x6x8 1x2x6x8 1x1x6x6 -> 1x2x6x8 <{is_causal = false,
  scale = 2.500000e-01 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
scaled_dot_product_attention_decode 1x2x4x8 2x2x32x8 2x2x32x8 2:i32 -> 1x2x4x8 <{is_causal = true,
  operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}>
split_query_key_value_and_split_heads 2x6x24 -> 2x2x6x4 2x2x4x6 2x2x6x4 <{num_heads = 2 : ui32, transpose_key = true}>
split_query_key_value_and_split_heads 1x6x32 1x6x16 -> 1x4x6x8 1x1x6x8 1x1x6x8 <{num_heads = 4 : ui32,
  num_kv_heads = 1 : ui32, transpose_key = false}>
split_query_key_value_and_split_heads 1x5x96 -> 1x1x5x32 1x1x32x5 1x1x5x32 <{num_heads = 1 : ui32,
  transpose_key = true}>
concatenate_heads 2x3x6x4 -> 2x6x12
update_cache 2x2x32x8 1x2x2x8 1:i32 -> 2x2x32x8 <{batch_offset = 0 : i32}>
fill_cache 2x2x64x8 1x2x32x8 -> 2x2x64x8 <{batch_offset = 1 : i32}>
paged_update_cache 2x2x32x8 1x2x2x8 2:i32 -> 2x2x32x8 <{share_cache = false}>
paged_update_cache 4x2x32x8 1x2x2x8 2:i32 2x2:i32 -> 4x2x32x8 <{share_cache = false}>
paged_scaled_dot_product_attention_decode 1x2x4x32 4x2x32x32 4x2x32x32 2x2:i32 2:i32 -> 1x2x4x32 <{is_causal = true,
  operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0>}>
embedding_backward 2x3:i32 7x32 2x3x32 -> 7x32
batch_norm_training 2x3x4x5 3 3 3 3 -> 2x3x4x5 3 3 <{dimension = 1 : i32, ${EPSILON}, momentum = 1.000000e-01 : f32}>
softmax_backward 2x3x4x33 2x3x4x33 -> 2x3x4x33 <{dimension = 3 : si32}>
silu_bw 1x2x3x33 1x2x3x33 -> 1x2x3x33
gelu_bw 3x33 3x33 -> 3x33 <{approximate = "none"}>
adamw 1x1x3x33 1x1x3x33 1x1x3x33 1x1x3x33 -> 1x1x3x33 1x1x3x33 1x1x3x33 <{beta1 = 0.9 : f32, beta2 = 0.5 : f32,
  beta1_pow = 0.9 : f32, beta2_pow = 0.5 : f32, epsilon = 3.0 : f32, lr = 0.1 : f32, weight_decay = 0.1 : f32}>
`),
  ...QUANTIZED,
  ...cases(`
paged_fill_cache 4x2x32x8 1x2x64x8 2x2:i32 1:i32 -> 4x2x32x8 <{batch_offset = 0 : i32}>
`),
];

/**
 * A program that applies the op to its arguments, the first float through a preceding op, and returns the results; booleans as floats, because a stored true is any number but 0.
 */
export function programOf({ name, operands, results, properties }: SingleOp): string {
  const lines: string[] = [];
  const isCache = name.endsWith("cache");
  const names = operands.map((text, index) => {
    if (isCache || index > 0 || !text.endsWith("f32>")) return `%arg${index}`;
    lines.push(`%in = "ttir.tanh"(%arg0) : (${text}) -> ${text}`);
    return "%in";
  });
  const made = results.map((_, index) => (results.length > 1 ? `%0#${index}` : "%0"));
  const typeList = (types: readonly string[]) =>
    types.length === 1 ? types.join("") : `(${types.join(", ")})`;
  const braces = properties === undefined ? "" : ` <{${properties}}>`;
  lines.push(
    `%0${results.length > 1 ? `:${results.length}` : ""} = "ttir.${name}"(${names.join(", ")})${braces} : ` +
      `(${operands.join(", ")}) -> ${typeList(results)}`,
  );
  const returned = results.map((text, index) => {
    const value = made[index] ?? "%0";
    if (!text.endsWith("i1>")) return { value, type: text };
    const float = text.replace("i1>", "f32>");
    lines.push(
      `%cast${index} = "ttir.typecast"(${value}) <{conservative_folding = false}> : (${text}) -> ${float}`,
    );
    return { value: `%cast${index}`, type: float };
  });
  const parameters = operands.map((text, index) => `%arg${index}: ${text}`).join(", ");
  const types = returned.map((each) => each.type);
  lines.push(`return ${returned.map(({ value }) => value).join(", ")} : ${types.join(", ")}`);
  return `func.func @main(${parameters}) -> ${typeList(types)} {\n  ${lines.join("\n  ")}\n}\n`;
}
