// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { readBool, readInteger, readIntegers } from "../dialect/attribute_values.ts";
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
  /** Whether the result grows with the stride instead of shrinking. */
  readonly transposed: boolean;
  /** What the four values of `padding` mean. */
  readonly sides: readonly (keyof WindowPadding)[];
  /** Whether `padding` is written as `[top, left]` where both sides of both dimensions are alike. */
  readonly pairs: boolean;
}

/**
 * Pools list top, left, bottom, right; upstream's runtime reorders them for the kernel, which takes them as
 * convolutions do (tt-mlir:window-padding).
 */
export const POOL_WINDOW: WindowForm = {
  transposed: false,
  sides: ["top", "left", "bottom", "right"],
  pairs: true,
};

/** Convolutions list top, bottom, left, right, always all four (tt-mlir:window-padding). */
export const CONVOLUTION_WINDOW: WindowForm = {
  transposed: false,
  sides: ["top", "bottom", "left", "right"],
  pairs: false,
};

/** Both sides of a dimension are alike. */
export const TRANSPOSED_WINDOW: WindowForm = { ...CONVOLUTION_WINDOW, transposed: true, pairs: true };

/**
 * Reads the window of a conv2d, conv_transpose2d, conv1d or pool op. `undefined` when a property is missing or the
 * window does not fit into the image.
 */
export function readWindow(attributes: AttributeMap, form: WindowForm): SlidingWindow | undefined {
  let known = KNOWN.get(form);
  if (known === undefined) KNOWN.set(form, known = new WeakMap());
  let window = known.get(attributes);
  if (window === undefined) known.set(attributes, window = parseWindow(attributes, form) ?? null);
  return window ?? undefined;
}

/** Cached windows: a search asks about one op thousands of times. `null` for attributes that give no window. */
const KNOWN: Map<WindowForm, WeakMap<AttributeMap, SlidingWindow | null>> = new Map();

function parseWindow(attributes: AttributeMap, form: WindowForm): SlidingWindow | undefined {
  const batch = readInteger(attributes, "batch_size");
  const length = readInteger(attributes, "input_length");
  const isLine = length !== undefined;
  const inputHeight = length ?? readInteger(attributes, "input_height");
  const inputWidth = isLine ? 1 : readInteger(attributes, "input_width");
  const channels = readInteger(attributes, "channels");
  const inChannels = channels ?? readInteger(attributes, "in_channels");
  const outChannels = channels ?? readInteger(attributes, "out_channels");
  const kernel = pairOf(attributes, "kernel_size", 1, isLine);
  if (
    batch === undefined || inputHeight === undefined || inputWidth === undefined ||
    inChannels === undefined ||
    outChannels === undefined || kernel === undefined || batch <= 0 || inChannels <= 0 || outChannels <= 0
  ) return undefined;
  const stride = pairOf(attributes, "stride", 1, isLine) ?? kernel;
  const dilation = pairOf(attributes, "dilation", 1, isLine) ?? [1, 1];
  const sides = readPadding(attributes, form);
  const padding: readonly [Sides, Sides] = [[sides.top, sides.bottom], [sides.left, sides.right]];
  const ceilMode = readBool(attributes, "ceil_mode") === true;
  const outputPadding = pairOf(attributes, "output_padding", 0, isLine) ?? [0, 0];
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
      form.transposed ? outputPadding[axis] : undefined,
    );
  const [rows, columns] = [along(0, inputHeight), along(1, inputWidth)];
  if (!(rows.output > 0) || !(columns.output > 0) || stride[0] <= 0 || stride[1] <= 0) return undefined;
  return {
    batch,
    inputHeight,
    inputWidth,
    inChannels,
    outChannels,
    kernelHeight: kernel[0],
    kernelWidth: kernel[1],
    strideHeight: stride[0],
    strideWidth: stride[1],
    dilationHeight: dilation[0],
    dilationWidth: dilation[1],
    padHeight: rows.padded,
    padWidth: columns.padded,
    padding: sides,
    groups: readInteger(attributes, "groups") ?? 1,
    outputHeight: rows.output,
    outputWidth: columns.output,
  };
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

/** Padding of a window; one value or a pair is for both sides alike, and of a line before and behind it. */
export function readPadding(attributes: AttributeMap, { sides }: WindowForm): WindowPadding {
  const values = readIntegers(attributes, "padding") ?? [0];
  const [first = 0, second = first] = values;
  if (readInteger(attributes, "input_length") !== undefined) {
    return { top: first, left: 0, bottom: second, right: 0 };
  }
  if (values.length < 4) return { top: first, left: second, bottom: first, right: second };
  const valueOf = (side: keyof WindowPadding): number => values[sides.indexOf(side)] ?? 0;
  return { top: valueOf("top"), left: valueOf("left"), bottom: valueOf("bottom"), right: valueOf("right") };
}

/** The values of `padding` as the op spells them. */
export function paddingValues(padding: WindowPadding, { sides, pairs }: WindowForm): readonly number[] {
  const { top, left, bottom, right } = padding;
  return pairs && top === bottom && left === right ? [top, left] : sides.map((side) => padding[side]);
}

function pairOf(
  attributes: AttributeMap,
  name: string,
  missing: number,
  oneDimensional: boolean,
): readonly [number, number] | undefined {
  const [first, second] = readIntegers(attributes, name) ?? [];
  if (first === undefined) return undefined;
  if (oneDimensional) return [first, missing];
  return [first, second ?? first];
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

/** Shape of a result over flattened images: one row per output pixel. */
export function windowResult(form: WindowForm): InferShape {
  return ({ attributes }) => {
    const window = readWindow(attributes, form);
    return window === undefined
      ? undefined
      : [1, 1, window.batch * window.outputHeight * window.outputWidth, window.outChannels];
  };
}
