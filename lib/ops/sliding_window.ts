// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import type { AttributeValues } from "./attributes/attribute_form.ts";
import { type AttributedOp, readAttributes } from "./attributes/read_attributes.ts";
import { CONV1D, CONV2D, CONV_TRANSPOSE2D, CONVOLUTION, POOL2D } from "./attributes/window.ts";
import { type MovingWindow, windowPositions, windowReach } from "../layout/window_positions.ts";
import type { InferShape } from "./shape_inference.ts";

/** A sliding window over a flattened NHWC image, in elements. */
export interface SlidingWindow {
  readonly batch: number;
  readonly inputHeight: number;
  readonly inputWidth: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelHeight: number;
  readonly kernelWidth: number;
  readonly strideHeight: number;
  readonly strideWidth: number;
  readonly dilationHeight: number;
  readonly dilationWidth: number;
  /** Sum of both sides, including what `ceil_mode` adds at the end. */
  readonly padHeight: number;
  readonly padWidth: number;
  /** What the op asks for by side, without what `ceil_mode` adds. */
  readonly padding: WindowPadding;
  readonly groups: number;
  readonly outputHeight: number;
  readonly outputWidth: number;
}

/** What a window adds around an image, in pixels. */
export interface WindowPadding {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** How an op spells its window; a property of its definition. */
export interface WindowForm {
  readonly attributes: typeof CONV1D | typeof CONV2D | typeof CONV_TRANSPOSE2D | typeof POOL2D;
  /** Whether the result grows with the stride instead of shrinking. */
  readonly transposed: boolean;
  /** Whether `padding` is written as `[top, left]` where both sides of both dimensions are alike. */
  readonly pairs: boolean;
}

export const POOL_WINDOW: WindowForm = { attributes: POOL2D, transposed: false, pairs: true };

export const CONVOLUTION_WINDOW: WindowForm = { attributes: CONV2D, transposed: false, pairs: false };

export const LINE_WINDOW: WindowForm = { ...CONVOLUTION_WINDOW, attributes: CONV1D };

export const TRANSPOSED_WINDOW: WindowForm = { attributes: CONV_TRANSPOSE2D, transposed: true, pairs: true };

/**
 * Reads the window of a conv2d, conv_transpose2d, conv1d or pool op; a line is an image one pixel high
 * (`ttnn:backend-0-81-1`). `undefined` when the window does not fit into the
 * image, or the batch, channels or a stride are not positive.
 */
export function readWindow(attributes: AttributeMap, form: WindowForm): SlidingWindow | undefined {
  return WINDOWS.getOrInsertComputed(form, () => new WeakMap())
    .getOrInsertComputed(attributes, () => parseWindow({ attributes }, form));
}

/** Read windows, which are keys of what programs keep about them: the runs of large images take long to make. */
const WINDOWS: Map<WindowForm, WeakMap<AttributeMap, SlidingWindow | undefined>> = new Map();

function parseWindow(op: AttributedOp, form: WindowForm): SlidingWindow | undefined {
  const { kernel, stride, dilation, ceilMode, outputPadding, ...image } = writtenWindow(op, form);
  if (image.batch <= 0 || image.inChannels <= 0 || image.outChannels <= 0) return undefined;
  const sides = readPadding(op, form);
  const padding: readonly [Sides, Sides] = [[sides.top, sides.bottom], [sides.left, sides.right]];
  const along = (axis: 0 | 1, input: number): Positions =>
    positionsOf(
      {
        kernel: kernel[axis],
        stride: stride[axis],
        dilation: dilation[axis],
        padding: padding[axis],
        ceilMode,
      },
      input,
      outputPadding?.[axis],
    );
  const [rows, columns] = [along(0, image.inputHeight), along(1, image.inputWidth)];
  if (!(rows.output > 0) || !(columns.output > 0) || stride[0] <= 0 || stride[1] <= 0) return undefined;
  return {
    ...image,
    kernelHeight: kernel[0],
    kernelWidth: kernel[1],
    strideHeight: stride[0],
    strideWidth: stride[1],
    dilationHeight: dilation[0],
    dilationWidth: dilation[1],
    padHeight: rows.padded,
    padWidth: columns.padded,
    padding: sides,
    outputHeight: rows.output,
    outputWidth: columns.output,
  };
}

/** What a form says about the image and about each of its dimensions. */
interface WrittenWindow
  extends
    Pick<SlidingWindow, "batch" | "inputHeight" | "inputWidth" | "inChannels" | "outChannels" | "groups"> {
  readonly kernel: Pair;
  readonly stride: Pair;
  readonly dilation: Pair;
  readonly ceilMode: boolean;
  readonly outputPadding: Pair | undefined;
}

type Pair = readonly [vertical: number, horizontal: number];

function writtenWindow(op: AttributedOp, { attributes: form }: WindowForm): WrittenWindow {
  if ("channels" in form) {
    const pool = readAttributes(op, form);
    const { channels } = pool;
    return {
      ...planeOf(pool),
      inChannels: channels,
      outChannels: channels,
      groups: 1,
      ceilMode: pool.ceil_mode,
      outputPadding: undefined,
    };
  }
  const { in_channels: inChannels, out_channels: outChannels, groups } = readAttributes(op, CONVOLUTION);
  const convolution = { inChannels, outChannels, groups, ceilMode: false };
  if (!("input_length" in form)) {
    const outputPadding = "output_padding" in form
      ? pairOf(readAttributes(op, form).output_padding)
      : undefined;
    return { ...convolution, ...planeOf(readAttributes(op, CONV2D)), outputPadding };
  }
  const line = readAttributes(op, form);
  return {
    ...convolution,
    batch: line.batch_size,
    inputHeight: 1,
    inputWidth: line.input_length,
    kernel: [1, line.kernel_size],
    stride: [1, line.stride],
    dilation: [1, line.dilation],
    outputPadding: undefined,
  };
}

function planeOf(
  op: Pick<
    AttributeValues<typeof CONV2D>,
    "batch_size" | "input_height" | "input_width" | "kernel_size" | "stride" | "dilation"
  >,
): Pick<WrittenWindow, "batch" | "inputHeight" | "inputWidth" | "kernel" | "stride" | "dilation"> {
  return {
    batch: op.batch_size,
    inputHeight: op.input_height,
    inputWidth: op.input_width,
    kernel: pairOf(op.kernel_size),
    stride: pairOf(op.stride),
    dilation: pairOf(op.dilation),
  };
}

/** One number is for both dimensions. */
function pairOf([vertical = NaN, horizontal = vertical]: readonly number[]): Pair {
  return [vertical, horizontal];
}

/** What a window meets along one axis. */
interface Positions {
  /** Places of the window, which are extents of the result. */
  readonly output: number;
  /** Elements of padding on both sides together; a window that may begin inside and end outside needs more at its end. */
  readonly padded: number;
}

/** @param outputPadding of a transposed window; `undefined` for a plain one */
function positionsOf(window: MovingWindow, input: number, outputPadding: number | undefined): Positions {
  const [before, after] = window.padding;
  const output = outputPadding === undefined
    ? windowPositions(input, window)
    : (input - 1) * window.stride - before - after + windowReach(window) + outputPadding;
  const seen = (output - 1) * window.stride + windowReach(window);
  return { output, padded: window.ceilMode ? Math.max(before + after, seen - input) : before + after };
}

type Sides = MovingWindow["padding"];

/** Padding of a window; one value or a pair is for both sides alike, and of a line in front of it and behind it. */
export function readPadding(op: AttributedOp, { attributes: form }: WindowForm): WindowPadding {
  const { padding: values } = readAttributes(op, form);
  const [first = 0, second = first] = values;
  if ("input_length" in form) return { top: 0, left: first, bottom: 0, right: second };
  if (values.length < 4) return { top: first, left: second, bottom: first, right: second };
  const valueOf = (side: keyof WindowPadding): number => values[sidesOf(form).indexOf(side)] ?? 0;
  return { top: valueOf("top"), left: valueOf("left"), bottom: valueOf("bottom"), right: valueOf("right") };
}

/** The values of `padding` as the op spells them. */
export function paddingValues(
  padding: WindowPadding,
  { attributes: form, pairs }: WindowForm,
): readonly number[] {
  const { top, left, bottom, right } = padding;
  if ("input_length" in form) return [left, right];
  return pairs && top === bottom && left === right ? [top, left] : sidesOf(form).map((side) => padding[side]);
}

/** The sides in the order in which a form lists them. */
function sidesOf(form: typeof CONV2D | typeof POOL2D): readonly (keyof WindowPadding)[] {
  return form.padding.order;
}

/**
 * Whether a convolution is a plain matrix multiplication of its pixels: a 1x1 window that looks at every pixel once
 * (tt-metal:conv2d `use_matmul_for_1x1_conv`, which also wants that the config asks for no width sharding).
 */
export function isPointwise(window: SlidingWindow): boolean {
  return window.kernelHeight === 1 && window.kernelWidth === 1 && window.strideHeight === 1 &&
    window.strideWidth === 1 && window.padHeight === 0 && window.padWidth === 0 &&
    window.dilationHeight === 1 && window.dilationWidth === 1;
}

/** Whether a convolution has one channel per group and moves along an image one pixel high. */
export function isLinePerChannel(window: SlidingWindow): boolean {
  return window.groups === window.inChannels && window.groups === window.outChannels &&
    window.kernelHeight === 1 && window.inputHeight === 1;
}

/** Shape of a result over flattened images: one row per output pixel. */
export function windowResult(form: WindowForm): InferShape {
  return ({ attributes }) => {
    const window = readWindow(attributes, form);
    return window === undefined
      ? undefined
      : [1, 1, window.batch * window.outputHeight * window.outputWidth, window.outChannels];
  };
}

/** Format of the indices that a max pool returns, which count the pixels of an image (`ttnn:backend-0-81-1`). */
export function indexFormat(
  { inputHeight, inputWidth }: Pick<SlidingWindow, "inputHeight" | "inputWidth">,
): "u16" | "u32" {
  return inputHeight * inputWidth > 0xffff ? "u32" : "u16";
}
