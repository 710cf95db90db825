// SPDX-License-Identifier: Apache-2.0
import { stringText } from "../../lib/dialect/printed_attributes.ts";
import type { Properties } from "../../lib/ttnn/op.ts";
import { attributes } from "../../lib/dialect/printed_attributes.ts";
import { TensorBuilder } from "../../lib/ttnn/tensor_builder.ts";
import {
  geometry,
  type Image,
  strideAndPadding,
  tensorType,
  windowExtent,
  ZOO_CHIP,
  type ZooPlacement,
  type ZooWindow,
} from "./tensors.ts";
import type { TtnnFunction } from "../../lib/ttnn/function.ts";
import type { TensorValue, TtnnTensorType, TtnnValue } from "../../lib/ttnn/value.ts";
import { COMPUTE_CONFIG } from "../../lib/dialect/compute_config_text.ts";

/** A const-eval function and the type of its result. */
export interface ConstEval {
  readonly name: string;
  readonly type: TtnnTensorType;
}

/** What upstream says of a function argument. */
export type ZooArgumentType = "input" | "parameter" | "constant";

/** What `matmul` and `linear` apply to their result. */
interface ProductActivation {
  readonly activation?: "gelu" | "relu" | "silu";
}

function matmulProperties({ activation }: ProductActivation): Properties {
  return { activation, compute_config: COMPUTE_CONFIG, transpose_a: false, transpose_b: false };
}

/** One method per op, beside those of every builder of tensors. */
export class ZooFunction extends TensorBuilder {
  readonly #numbers: Map<string, TensorValue> = new Map();

  constructor(func: TtnnFunction) {
    super(func, ZOO_CHIP);
  }

  // Arguments and results.

  /** A model input: row-major in DRAM, as upstream's default for inputs. */
  input(name: string, shape: readonly number[], placement: ZooPlacement = {}): TensorValue {
    return this.#argument(name, "input", shape, { rowMajor: true, ...placement });
  }

  /** A trained tensor in tiles in DRAM. */
  parameter(name: string, shape: readonly number[], placement: ZooPlacement = {}): TensorValue {
    return this.#argument(name, "parameter", shape, placement);
  }

  /** A constant tensor of the model, such as a mask or a table of angles. */
  constant(name: string, shape: readonly number[], placement: ZooPlacement = {}): TensorValue {
    return this.#argument(name, "constant", shape, placement);
  }

  /** A key or value cache `[batch, heads, positions, head size]`, updated in place. */
  cache(name: string, shape: readonly number[], placement: ZooPlacement = {}): TensorValue {
    return this.#argument(name, "input", shape, placement, { "ttcore.kv_cache": "unit" });
  }

  #argument(
    name: string,
    argumentType: ZooArgumentType,
    shape: readonly number[],
    placement: ZooPlacement,
    extra: Readonly<Record<string, string>> = {},
  ): TensorValue {
    const entries = attributes({
      ...extra,
      "ttcore.argument_type": `#ttcore.argument_type<${argumentType}>`,
      "ttir.name": stringText(name),
    });
    return this.body.addArgument(tensorType(shape, placement), entries);
  }

  /** Ends the function. */
  return(...values: readonly TensorValue[]): void {
    this.body.return(values);
  }

  /** The cached result of a const-eval function. */
  loadCached(constEval: ConstEval, ...args: readonly TensorValue[]): TensorValue {
    const spec = { operands: args, resultTypes: [constEval.type], callee: constEval.name };
    return this.body.append({ name: "ttcore.load_cached", ...spec }).tensorResultAt(0);
  }

  // Layout.

  /** `ttnn.to_layout` between row-major and tiles. */
  toLayout(input: TensorValue, form: "tile" | "row_major" = "tile"): TensorValue {
    return this.#op("to_layout", [input], input.type.shape, {}, {
      dataType: input.type.layout.dataType,
      rowMajor: form === "row_major",
    });
  }

  /** `ttnn.to_memory_config` to a sharded or interleaved place. */
  toMemoryConfig(input: TensorValue, placement: ZooPlacement): TensorValue {
    const { dataType, tile } = input.type.layout;
    return this.#op("to_memory_config", [input], input.type.shape, {}, {
      dataType,
      rowMajor: tile === undefined,
      ...placement,
    });
  }

  // Elementwise.

  /** `ttnn.add`. */
  add(lhs: TensorValue, rhs: TensorValue): TensorValue {
    return this.binary("add", lhs, rhs);
  }

  /** `ttnn.multiply`. */
  multiply(lhs: TensorValue, rhs: TensorValue): TensorValue {
    return this.binary("multiply", lhs, rhs);
  }

  /** `ttnn.full` in bf16, made once however often it is asked for. */
  number(shape: readonly number[], value: number): TensorValue {
    const key = `${shape.join("x")} ${value}`;
    let made = this.#numbers.get(key);
    if (made === undefined) this.#numbers.set(key, made = this.full(shape, "bf16", value));
    return made;
  }

  // Data movement.

  /** `ttnn.transpose` of the last two dimensions. */
  transpose(input: TensorValue): TensorValue {
    const dims = { dim0: -2, dim1: -1 };
    return this.inferred("ttnn.transpose", [input], dims);
  }

  /** `ttnn.concat`. */
  concat(inputs: readonly TensorValue[], dim: number): TensorValue {
    return this.inferred("ttnn.concat", inputs, { dim: dim });
  }

  /** `ttnn.embedding` of row-major indices in a row-major table. */
  embedding(indices: TensorValue, table: TensorValue): TensorValue {
    return this.#op("embedding", [indices, table], [...indices.type.shape, table.type.shape.at(-1) ?? 1]);
  }

  // Matrix multiplication.

  /** `ttnn.matmul`. */
  matmul(lhs: TensorValue, rhs: TensorValue, fused: ProductActivation = {}): TensorValue {
    return this.inferred("ttnn.matmul", [lhs, rhs], matmulProperties(fused));
  }

  /** `ttnn.linear`: a matmul with a bias and possibly a fused activation. */
  linear(
    input: TensorValue,
    weight: TensorValue,
    bias: TensorValue,
    fused: ProductActivation = {},
  ): TensorValue {
    return this.inferred("ttnn.linear", [input, weight, bias], matmulProperties(fused));
  }

  /** {@linkcode linear} to so many columns, with the parameters `NAME.weight` and `NAME.bias`. */
  dense(name: string, input: TensorValue, columns: number, fused: ProductActivation = {}): TensorValue {
    const weight = this.parameter(`${name}.weight`, [input.type.shape.at(-1) ?? 1, columns]);
    return this.linear(input, weight, this.parameter(`${name}.bias`, [columns]), fused);
  }

  // Normalisation and reduction.

  /** `ttnn.layer_norm` over the last dimension, with the parameters `NAME.weight` and `NAME.bias`. */
  layerNorm(name: string, input: TensorValue, epsilon: number): TensorValue {
    const width = [input.type.shape.at(-1) ?? 1];
    const affine = ["weight", "bias"].map((part) => this.parameter(`${name}.${part}`, width));
    return this.inferred("ttnn.layer_norm", [input, ...affine], {
      epsilon: epsilon,
      operandSegmentSizes: [1, 1, 1],
    });
  }

  /** `ttnn.softmax` over the last dimension. */
  softmax(input: TensorValue): TensorValue {
    return this.inferred("ttnn.softmax", [input], {
      compute_config: COMPUTE_CONFIG,
      dimension: -1,
      numericStable: true,
    });
  }

  // Attention.

  /** `ttnn.split_query_key_value_and_split_heads` of `[batch, sequence, 3 * hidden]`; the key comes transposed. */
  splitHeads(input: TensorValue, heads: number): readonly [TensorValue, TensorValue, TensorValue] {
    const [batch = 1, sequence = 1, width = 1] = input.type.shape;
    const size = width / (3 * heads);
    const straight = tensorType([batch, heads, sequence, size]);
    const transposed = tensorType([batch, heads, size, sequence]);
    const types = [straight, transposed, straight];
    const properties = { num_heads: heads, transpose_key: true };
    return three(
      this.insert("ttnn.split_query_key_value_and_split_heads", [input], types, properties).tensorResults,
    );
  }

  /** `ttnn.fill_cache`: writes `[1, heads, sequence, size]` at the start of a cache, in place. */
  fillCache(cache: TensorValue, input: TensorValue): void {
    this.insert("ttnn.fill_cache", [cache, input], [], { batch_offset: 0 });
  }

  /** `ttnn.paged_update_cache`: writes one position per user, in place; the input is height-sharded in L1. */
  updateCache(cache: TensorValue, input: TensorValue, positions: TensorValue): void {
    this.insert("ttnn.paged_update_cache", [cache, input, positions], [], { share_cache: false });
  }

  // Convolution and pooling.

  /** `ttnn.permute` and `ttnn.reshape` of an NCHW input to a flattened activation. */
  flatten(input: TensorValue): Image {
    const [batch = 1, channels = 1, height = 1, width = 1] = input.type.shape;
    const permuted = this.permute(input, [0, 2, 3, 1]);
    const tensor = this.reshape(permuted, [1, 1, batch * height * width, channels]);
    return { tensor, batch, height, width, channels };
  }

  /** `ttnn.conv2d` with the parameters `NAME.weight` and `NAME.bias`. */
  conv2d(
    name: string,
    input: Image,
    channels: number,
    window: ZooWindow,
    activation?: "relu",
  ): Image {
    const { kernel, groups = 1 } = window;
    const weights = this.#convParameters(name, [channels, input.channels / groups, ...kernel], channels);
    const [stride, padding] = strideAndPadding(window);
    const height = windowExtent(input.height, kernel[0], stride[0], padding[0]);
    const width = windowExtent(input.width, kernel[1], stride[1], padding[1]);
    const fused = activation === undefined ? "" : `activation = <op_type = ${activation}>, `;
    const tensor = this.inferred("ttnn.conv2d", [input.tensor, ...weights, this.device()], {
      ...geometry(input, channels),
      conv2d_config:
        `#ttnn.conv2d_config<${fused}enable_kernel_stride_folding = false, config_tensors_in_dram = true>`,
      groups,
      kernel_size: kernel,
      padding: [padding[0], padding[0], padding[1], padding[1]],
      stride: stride,
    });
    return { tensor, batch: input.batch, height, width, channels };
  }

  /**
   * `ttnn.conv_transpose2d` with the parameters `NAME.weight` and `NAME.bias`, kernel and stride alike, so that windows do
   * not overlap.
   */
  convTranspose2d(name: string, input: Image, channels: number, factor: number): Image {
    const weights = this.#convParameters(name, [input.channels, channels, factor, factor], channels);
    const tensor = this.inferred("ttnn.conv_transpose2d", [input.tensor, ...weights, this.device()], {
      ...geometry(input, channels),
      conv2d_config:
        "#ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>",
      groups: 1,
      kernel_size: [factor, factor],
      output_padding: [0, 0],
      padding: [0, 0],
      stride: [factor, factor],
    });
    return {
      tensor,
      batch: input.batch,
      height: input.height * factor,
      width: input.width * factor,
      channels,
    };
  }

  /** A convolution's weights, row-major on the host, which the op prepares itself; and its bias. */
  #convParameters(name: string, shape: readonly number[], channels: number): readonly TensorValue[] {
    const onHost = { rowMajor: true, bufferType: "system_memory" } as const;
    const marked = { "ttir.conv2d_weight": "unit" };
    return [
      this.#argument(`${name}.weight`, "parameter", shape, onHost, marked),
      this.parameter(`${name}.bias`, [1, 1, 1, channels]),
    ];
  }

  /** The mean of all pixels of each image, and {@linkcode dense} to so many classes. */
  classify(name: string, { tensor, batch, height, width, channels }: Image, classes: number): TensorValue {
    const rows = this.reshape(tensor, [batch, 1, height * width, channels]);
    const mean = this.inferred("ttnn.mean", [rows], {
      compute_config: COMPUTE_CONFIG,
      dim_arg: [2],
      keep_dim: true,
    });
    return this.dense(name, this.reshape(mean, [batch, channels]), classes);
  }

  /** `ttnn.max_pool2d`. */
  maxPool2d(input: Image, window: ZooWindow): Image {
    const [stride, padding] = strideAndPadding(window);
    const height = windowExtent(input.height, window.kernel[0], stride[0], padding[0]);
    const width = windowExtent(input.width, window.kernel[1], stride[1], padding[1]);
    const tensor = this.inferred("ttnn.max_pool2d", [input.tensor], {
      batch_size: input.batch,
      ceil_mode: false,
      channels: input.channels,
      config_tensors_in_dram: true,
      dilation: [1, 1],
      input_height: input.height,
      input_width: input.width,
      kernel_size: window.kernel,
      padding: padding,
      reallocate_halo_output: false,
      stride: stride,
    });
    return { ...input, tensor, height, width };
  }

  /** `ttnn.upsample` of `[batch, height, width, channels]`, bilinear in both directions. */
  upsample(input: TensorValue, factor: number): TensorValue {
    if (factor === 1) return input;
    const rows = this.toLayout(input, "row_major");
    const properties = { mode: "bilinear", scale_factor: [factor, factor] };
    return this.toLayout(this.inferred("ttnn.upsample", [rows], properties, { rowMajor: true }));
  }

  /** An elementwise op on a flattened activation. */
  onImage(image: Image, op: (tensor: TensorValue) => TensorValue): Image {
    return { ...image, tensor: op(image.tensor) };
  }

  #op(
    name: string,
    operands: readonly TtnnValue[],
    shape: readonly number[],
    properties: Properties = {},
    placement: ZooPlacement = {},
  ): TensorValue {
    return this.op(`ttnn.${name}`, operands, tensorType(shape, placement), properties);
  }
}

/**
 * Query, key and value.
 *
 * @throws {RangeError} if there are fewer values
 */
export function three(
  [query, key, value]: readonly TensorValue[],
): readonly [query: TensorValue, key: TensorValue, value: TensorValue] {
  if (query !== undefined && key !== undefined && value !== undefined) return [query, key, value];
  throw new RangeError("Three values expected");
}
