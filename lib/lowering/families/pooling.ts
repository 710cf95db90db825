// SPDX-License-Identifier: Apache-2.0
import { isFloat } from "../../layout/data_type.ts";
import { inversePermutation, withLeadingOnes } from "../../layout/extents.ts";
import type { MovingWindow } from "../../layout/window_positions.ts";
import { writtenPadding } from "../../ops/op_windows.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { indexFormat, type WindowPadding } from "../../ops/sliding_window.ts";
import { elementOf } from "../element_type.ts";
import { BF16, fromTensor, type FunctionLowering, splat } from "../function_lowering.ts";
import type { Properties } from "../../ttnn/op.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { becomes, type LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { slice } from "./data_movement.ts";
import {
  channelsLastOrder,
  type FlatImage,
  type ImageAxes,
  imageAxes,
  imageOf,
  padChannels,
  paddingOf,
  positionsOf,
  restoreImage,
  windowPair,
} from "./image.ts";

/** Pooling and resampling. The kernels take row-major bf16. */
export const POOLING: LoweringRules = {
  "ttir.max_pool2d": { lower: (op, f) => pool2d(op, f, "max_pool2d"), operands: 1 },
  "ttir.avg_pool2d": { lower: (op, f) => pool2d(op, f, "avg_pool2d"), operands: 1 },
  "ttir.max_pool2d_with_indices": { lower: (op, f) => pool2d(op, f, "max_pool2d_with_indices"), operands: 1 },
  "ttir.pooling": { lower: generalPooling, operands: "as results" },
  "ttir.global_avg_pool2d": becomes("global_avg_pool2d", 1),
  "ttir.upsample2d": { lower: upsample, operands: 1 },
};

type PoolName = "max_pool2d" | "avg_pool2d" | "max_pool2d_with_indices";

interface Pool {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly padding: WindowPadding;
  readonly dilation: readonly [number, number];
  readonly ceilMode: boolean;
  readonly countIncludePad: boolean;
  /** Factor on the result. */
  readonly factor?: number;
  readonly axes: ImageAxes;
}

function pool2d(op: TtirOp, f: FunctionLowering, name: PoolName): void {
  writePool(op, f, name, {
    kernel: windowPair(op, "kernel"),
    stride: windowPair(op, "stride"),
    padding: paddingOf(op),
    dilation: windowPair(op, "dilation"),
    ceilMode: op.flag("ceil_mode"),
    countIncludePad: op.flag("count_include_pad", true),
    axes: imageAxes(op),
  });
}

/** The pooling of older generations, of several tensors alike: one number per dimension, low and high padding in turn. */
function generalPooling(op: TtirOp, f: FunctionLowering): void {
  const method = op.attribute("pooling_method");
  const kind = method?.kind === "dialect" ? method.body.trim() : "";
  // No kernel sums: a sum is the average times the pixels of a window, padding included.
  const name = kind === "Max"
    ? "max_pool2d"
    : kind === "Average" || kind === "Sum"
    ? "avg_pool2d"
    : undefined;
  if (name === undefined) throw op.error(`pooling method '${kind}' is not supported`);
  const rank = op.resultType().shape.length;
  const given = op.requiredIntegers("window_dimensions");
  if (given.length !== rank) {
    throw op.error(`its window has ${given.length} dimensions, its result ${rank}`, "shape");
  }
  if (rank > IMAGE_RANK) {
    throw op.error(`only images are pooled, of ${IMAGE_RANK} dimensions at most; this has ${rank}`);
  }
  const window = withLeadingOnes(given, IMAGE_RANK);
  const integers = (attribute: string): readonly number[] =>
    withLeadingOnes(op.integers(attribute) ?? [], IMAGE_RANK);
  const first = window[1] === 1 && integers("window_strides")[1] === 1;
  const axes = first
    ? { batch: 0, height: 2, width: 3, channel: 1 }
    : { batch: 0, height: 1, width: 2, channel: 3 };
  const spatial = (attribute: string): readonly [number, number] => {
    const values = integers(attribute);
    return [values[axes.height] ?? 1, values[axes.width] ?? 1];
  };
  const padding = op.integers("padding") ?? [];
  const pad = (dim: number, side: 0 | 1): number => padding[2 * (dim - IMAGE_RANK + rank) + side] ?? 0;
  if ((window[axes.channel] ?? 1) !== 1) throw op.error("it pools over channels");
  const kernel = spatial("window_dimensions");
  const pool: Pool = {
    kernel,
    stride: spatial("window_strides"),
    padding: {
      top: pad(axes.height, 0),
      left: pad(axes.width, 0),
      bottom: pad(axes.height, 1),
      right: pad(axes.width, 1),
    },
    dilation: spatial("window_dilations"),
    ceilMode: false,
    countIncludePad: true,
    ...(kind === "Sum" ? { factor: kernel[0] * kernel[1] } : {}),
    axes,
  };
  op.operands.forEach((_, index) => {
    const image = f.operand(op, index);
    writePool(op, f, name, pool, index, reshaped(image, withLeadingOnes(image.shape, IMAGE_RANK)));
  });
}

const IMAGE_RANK = 4;

/**
 * Writes a pool with its layouts, casts and padding, and defines its results.
 *
 * @param at index of the pooled operand, and of the first result that the pool defines
 * @param given the operand in four dimensions
 */
function writePool(
  op: TtirOp,
  f: FunctionLowering,
  name: PoolName,
  pool: Pool,
  at: number = 0,
  given: LazyTensor = f.operand(op, at),
): void {
  const average = name === "avg_pool2d";
  if (average && pool.dilation.some((step) => step !== 1)) {
    throw op.error("a dilated average is not supported");
  }
  const [image, padding] = padExplicitly(op, f, imageOf(op, given, pool.axes), pool, average);
  const { top, left, bottom, right } = padding;
  const kernel = [
    kernelWithin(pool, 0, image.height + top + bottom),
    kernelWithin(pool, 1, image.width + left + right),
  ] as const;
  const positions = (axis: 0 | 1, extent: number, ...sides: MovingWindow["padding"]): number =>
    positionsOf(op, extent, {
      kernel: kernel[axis],
      stride: pool.stride[axis],
      dilation: pool.dilation[axis],
      padding: sides,
      ceilMode: pool.ceilMode,
    });
  const height = positions(0, image.height, top, bottom);
  const width = positions(1, image.width, left, right);
  const shape = [1, 1, image.batch * height * width, image.channels];
  const properties: Properties = {
    batch_size: image.batch,
    ceil_mode: pool.ceilMode,
    channels: image.channels,
    config_tensors_in_dram: true,
    count_include_pad: average ? pool.countIncludePad : undefined,
    dilation: pool.dilation,
    input_height: image.height,
    input_width: image.width,
    kernel_size: kernel,
    padding: writtenPadding(`ttnn.${name}`, padding),
    reallocate_halo_output: false,
    stride: pool.stride,
  };
  const input = f.rowMajor(f.typecast(image.flat, BF16));
  const pixels = f.type(shape, BF16, { rowMajor: true });
  const types = name === "max_pool2d_with_indices"
    ? [
      pixels,
      f.type(shape, elementOf(indexFormat({ inputHeight: image.height, inputWidth: image.width })), {
        rowMajor: true,
      }),
    ]
    : [pixels];
  f.emitMany(name, [input], types, properties).forEach((tensor, offset) => {
    const index = at + offset;
    const pooled = f.typecast(fromTensor(tensor), op.resultType(index).element);
    const flat = pool.factor === undefined ? pooled : times(f, pooled, pool.factor);
    f.defineResult(op, restoreImage(op, { ...image, flat, height, width }, pool.axes, index), index);
  });
}

/** The part of a window in the padded image, if it is at the one position that `ceil_mode` gives it: ttnn takes no larger one. */
function kernelWithin({ kernel, dilation, ceilMode }: Pool, axis: 0 | 1, extent: number): number {
  return ceilMode ? Math.min(kernel[axis], Math.ceil(extent / dilation[axis])) : kernel[axis];
}

function times(f: FunctionLowering, tensor: LazyTensor, factor: number): LazyTensor {
  const { shape, element } = tensor;
  return f.elementwise("multiply", [tensor, splat(shape, element, factor)]);
}

/** The kernels pad by at most half the window; the rest is padded before the op. */
function padExplicitly(
  op: TtirOp,
  f: FunctionLowering,
  image: FlatImage,
  pool: Pool,
  average: boolean,
): [FlatImage, Pool["padding"]] {
  const { top, left, bottom, right } = pool.padding;
  const fits = Math.max(top, bottom) <= pool.kernel[0] / 2 && Math.max(left, right) <= pool.kernel[1] / 2;
  if (fits) return [image, pool.padding];
  // The padded pixels would count.
  if (average && !pool.countIncludePad) {
    throw op.error("an average that does not count a padding of more than half its window is not supported");
  }
  const { batch, height, width, channels } = image;
  const padded = { ...image, height: height + top + bottom, width: width + left + right };
  const type = { shape: [batch, padded.height, padded.width, channels], element: image.flat.element };
  // Only rows are padded before the op.
  const pixels = f.apply("pad", [f.rowMajor(reshaped(image.flat, [batch, height, width, channels]))], type, {
    padding: [0, 0, top, bottom, left, right, 0, 0],
    use_multicore: true,
    value: average ? 0 : -Infinity,
  }, { place: { rowMajor: true } });
  const flat = reshaped(pixels, [1, 1, batch * padded.height * padded.width, channels]);
  return [{ ...padded, flat }, { top: 0, left: 0, bottom: 0, right: 0 }];
}

/** The kernel takes bf16; the nearest of whole numbers, which it does not hold, are repeated row by row and column by column. */
function upsample(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const axes = imageAxes(op);
  const order = channelsLastOrder(axes);
  const factors = op.requiredIntegers("scale_factor");
  const [uniform = 1] = factors;
  const mode = op.attributeText("mode") ?? '"nearest"';
  if (mode === '"nearest"' && !isFloat(element.dataType)) {
    const repeated = [axes.height, axes.width].reduce((image, dim, at) => {
      const repeats = factors[at] ?? uniform;
      const type = { shape: image.shape.with(dim, (image.shape[dim] ?? 1) * repeats), element };
      return repeats === 1 ? image : f.apply("repeat_interleave", [image], type, { dim, repeats });
    }, f.operand(op, 0));
    return f.defineResult(op, repeated);
  }
  const wanted = order.map((dim) => shape[dim] ?? 1);
  const [channels = 1] = wanted.slice(-1);
  // Interpolation reads whole tiles of channels (`ttnn:backend-0-81-1`).
  const width = mode === '"bilinear"' ? roundUp(channels, 32) : channels;
  const input = padChannels(f, f.typecast(permuted(f.operand(op, 0), order), BF16), width);
  const type = { shape: wanted.with(-1, width), element: BF16 };
  const made = f.apply("upsample", [f.rowMajor(input)], type, {
    mode,
    scale_factor: factors.length === 1 ? [uniform] : factors,
  }, { place: { rowMajor: true } });
  const output = slice(op, f, made, { ends: wanted });
  f.defineResult(op, f.typecast(permuted(output, inversePermutation(order)), element));
}
