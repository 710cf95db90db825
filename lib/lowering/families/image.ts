// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, volume } from "../../layout/extents.ts";
import { type MovingWindow, windowPositions, windowReach } from "../../layout/window_positions.ts";
import type { WindowPadding } from "../../ops/sliding_window.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { TtirOp } from "../ttir_op.ts";

/** The roles of the dimensions of an activation. */
export interface ImageAxes {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channel: number;
}

/** A flattened `[1, 1, batch * height * width, channels]` activation and the geometry that its shape hides. */
export interface FlatImage {
  readonly flat: LazyTensor;
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

const CHANNELS_LAST: ImageAxes = { batch: 0, height: 1, width: 2, channel: 3 };
const CHANNELS_FIRST: ImageAxes = { batch: 0, height: 2, width: 3, channel: 1 };

/** Roles of the dimensions: `batch_dim` and friends at HEAD, `channel_last` before, channels last by default. */
export function imageAxes(op: TtirOp): ImageAxes {
  const channel = op.integer("channel_dim");
  if (channel !== undefined) {
    return {
      batch: op.integer("batch_dim") ?? 0,
      height: op.requiredInteger("height_dim"),
      width: op.requiredInteger("width_dim"),
      channel,
    };
  }
  const last = op.attribute("channel_last");
  const first = (last?.kind === "integer" && last.value === 0n) || (last?.kind === "bool" && !last.value);
  return first ? CHANNELS_FIRST : CHANNELS_LAST;
}

/** The permutation to batch, height, width, channels. */
export function channelsLastOrder({ batch, height, width, channel }: ImageAxes): readonly number[] {
  return [batch, height, width, channel];
}

/** The flattened activation; with `flattened_compat_info` it is flattened already. */
export function imageOf(op: TtirOp, input: LazyTensor, axes: ImageAxes): FlatImage {
  const known = flattenedInfo(op);
  if (known !== undefined) return { flat: input, ...known, channels: input.shape.at(-1) ?? 1 };
  if (input.shape.length !== 4) throw op.error(`its input has rank ${input.shape.length}, expected 4`);
  const last = permuted(input, channelsLastOrder(axes));
  const [batch = 1, height = 1, width = 1, channels = 1] = last.shape;
  return { flat: reshaped(last, [1, 1, batch * height * width, channels]), batch, height, width, channels };
}

function flattenedInfo(op: TtirOp): Pick<FlatImage, "batch" | "height" | "width"> | undefined {
  const attribute = op.attribute("flattened_compat_info");
  if (attribute?.kind !== "dialect") return undefined;
  const field = (name: string): number => integerField(op, "flattened_compat_info", attribute.body, name);
  return { batch: field("batch_size"), height: field("input_height"), width: field("input_width") };
}

/** An integer field `name = 1` in the body of an attribute. */
export function integerField(op: TtirOp, attribute: string, body: string, name: string): number {
  const found = new RegExp(`\\b${name} = (\\d+)`).exec(body)?.[1];
  if (found === undefined) throw op.error(`${attribute} has no '${name}'`, "attribute");
  return Number(found);
}

/** The result in the dimension order of the op's type, without the leading ones that it lacks. */
export function restoreImage(op: TtirOp, image: FlatImage, axes: ImageAxes, index: number = 0): LazyTensor {
  const { shape } = op.resultType(index);
  if (volume(shape) !== volume(image.flat.shape)) {
    throw op.error(
      `its result should be ${image.batch} images of ${image.height}x${image.width} pixels and ` +
        `${image.channels} channels, not ${shape.join("x")}`,
      "shape",
    );
  }
  if (flattenedInfo(op) !== undefined) return reshaped(image.flat, shape);
  const last = reshaped(image.flat, [image.batch, image.height, image.width, image.channels]);
  const whole = permuted(last, inversePermutation(channelsLastOrder(axes)));
  return shape.length < whole.shape.length ? reshaped(whole, shape) : whole;
}

/** Height and width of an attribute: a pair, one number for both, or two attributes in older generations. */
export function pair(op: TtirOp, name: string, fallback: number = 1): readonly [number, number] {
  const height = op.integer(`${name}_height`);
  if (height !== undefined) return [height, op.integer(`${name}_width`) ?? height];
  const values = op.integers(name) ?? [fallback];
  const first = values[0] ?? fallback;
  return [first, values[1] ?? first];
}

/** Like {@linkcode pair} for what counts pixels of a window: its size, its step, the distance of what it looks at. */
export function windowPair(
  op: TtirOp,
  name: "kernel" | "stride" | "dilation",
): readonly [number, number] {
  const values = pair(op, name);
  const wrong = values.find((value) => value < 1);
  if (wrong === undefined) return values;
  throw op.error(`${name} must be at least 1, it is ${wrong}`, "attribute");
}

/** Positions of a window. @throws {DiagnosticError} when it does not fit into the padded image */
export function positionsOf(op: TtirOp, extent: number, window: MovingWindow): number {
  const positions = windowPositions(extent, window);
  if (positions >= 1) return positions;
  const padded = extent + window.padding[0] + window.padding[1];
  throw op.error(
    `its window reaches over ${windowReach(window)} pixels, the padded image has ${padded}`,
    "shape",
  );
}

/** Four numbers (top, left, bottom, right), two, one for all, or four attributes in older generations. */
export function paddingOf(op: TtirOp): WindowPadding {
  const top = op.integer("padding_top");
  if (top !== undefined) {
    return {
      top,
      left: op.integer("padding_left") ?? 0,
      bottom: op.integer("padding_bottom") ?? 0,
      right: op.integer("padding_right") ?? 0,
    };
  }
  const [first = 0, left = first, bottom = first, right = left] = op.integers("padding") ?? [0];
  return { top: first, left, bottom, right };
}

/** The activation with zeros behind its channels. */
export function padChannels(f: FunctionLowering, input: LazyTensor, channels: number): LazyTensor {
  const present = input.shape.at(-1) ?? 1;
  if (present === channels) return input;
  const padding = new Array<number>(2 * input.shape.length).fill(0).with(-1, channels - present);
  return f.apply("pad", [input], { shape: input.shape.with(-1, channels), element: input.element }, {
    padding,
    use_multicore: true,
    value: 0,
  });
}
