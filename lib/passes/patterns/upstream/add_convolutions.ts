// SPDX-License-Identifier: Apache-2.0
import { CONV2D } from "../../../ops/attributes/window.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { paddingOf } from "../../../ops/op_windows.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { biasOf, convolutionBelow, convolutionOperands } from "../convolutions/convolution_source.ts";
import { biasRow, isPlainConvolution, vectorOf } from "../convolutions/fold_into_convolution.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";

/**
 * Merges two added convolutions of one image, one of them 1x1: adds the 1x1 filters to the others at the
 * matching window position, at load (tt-mlir:ttnn-fusing, RepVGG's branches).
 */
export const addConvolutions: RewritePattern = replacing({
  name: "add-convolutions",
  upstream: "level-0",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    const [first, second] = [op.tensorOperand(0), op.tensorOperand(1)];
    if (first === undefined || second === undefined) return undefined;
    if (!sameType(first.type, result.type) || !sameViews(first, second)) return undefined;
    const [left, right] = [convolutionBelow(first), convolutionBelow(second)];
    if (left === undefined || right === undefined) return undefined;
    const pair = branches(left.convolution, right.convolution);
    if (pair === undefined) return undefined;
    const { wide, narrow, place } = pair;
    const values = InvariantValues.of(site.body);
    const parameters = [...wide.operands.slice(1), ...narrow.operands.slice(1)];
    if (!parameters.every((value) => values.has(value))) return undefined;

    const anchor = site.body.isBefore(wide, narrow) ? wide : narrow;
    for (const value of parameters) raiseConstant(value, anchor, site.body);
    const emit = new PassBuilder(site.body, anchor, site.context);
    const output = wide.tensorResult;
    const read = convolutionOperands(wide);
    const weight = sumOfWeights(emit, wide, narrow, place);
    if (output === undefined || read === undefined || weight === undefined) return undefined;
    const [one, ...more] = [wide, narrow].flatMap((convolution) => biasOf(convolution) ?? [])
      .map((bias) => vectorOf(emit, bias));
    const bias = more.reduce<TensorValue | undefined>(
      (sum, next) => sum === undefined ? next : emit.binary("add", sum, next),
      one,
    );
    const channels = output.type.shape.at(-1) ?? 1;
    const row = bias === undefined ? [] : [biasRow(emit, bias, channels, output.type.dataType)];
    const operands = [read.input, weight, ...row, read.device];
    const made = site.body.insertBefore(anchor, {
      name: wide.name,
      operands,
      resultTypes: [output.type],
      properties: wide.properties,
      attributes: wide.attributes,
      location: op.location,
    });
    const viewed = anchor === left.convolution ? first : second;
    const replaced = anchor.tensorResult;
    if (replaced === undefined) return undefined;
    site.body.replaceAllUses(replaced, made.tensorResultAt(0));
    return viewed === replaced ? made.tensorResultAt(0) : viewed;
  },
});

/** Two convolutions that can be merged. */
interface Branches {
  readonly wide: TtnnOp;
  /** The 1x1 convolution. */
  readonly narrow: TtnnOp;
  /** Row-major index in the window of `wide`. */
  readonly place: number;
}

/** Properties in which both must agree. */
const EQUIVALENT: readonly string[] = [
  "batch_size",
  "input_height",
  "input_width",
  "in_channels",
  "out_channels",
  "groups",
  "stride",
  "dtype",
];

function branches(one: TtnnOp, other: TtnnOp): Branches | undefined {
  const isOfPixels = (op: TtnnOp): boolean => op.read(CONV2D).kernel_size.every((extent) => extent === 1);
  const [wide, narrow] = isOfPixels(one) ? [other, one] : [one, other];
  const [a, b] = [wide.tensorResult, narrow.tensorResult];
  if (wide === narrow || !isOfPixels(narrow) || a === undefined || b === undefined) return undefined;
  if (wide.name !== "ttnn.conv2d" || narrow.name !== "ttnn.conv2d" || !sameType(a.type, b.type)) {
    return undefined;
  }
  if (wide.operands[0] !== narrow.operands[0] || !isPlainConvolution(wide) || !isPlainConvolution(narrow)) {
    return undefined;
  }
  const isEquivalent = EQUIVALENT.every((key) => wide.properties.get(key) === narrow.properties.get(key));
  const place = isEquivalent ? placeInWindow(wide, narrow) : undefined;
  return place === undefined ? undefined : { wide, narrow, place };
}

/** Window index in `wide` of the pixel of `narrow`; or `undefined`. */
function placeInWindow(wide: TtnnOp, narrow: TtnnOp): number | undefined {
  const kernel = wide.read(CONV2D).kernel_size;
  const dilation = wide.read(CONV2D).dilation;
  const [before, own] = [leadingPadding(wide), leadingPadding(narrow)];
  const places = [0, 1].map((axis) => ((before[axis] ?? 0) - (own[axis] ?? 0)) / (dilation[axis] ?? 1));
  const isInside = places.every((place, axis) =>
    Number.isInteger(place) && place >= 0 && place < (kernel[axis] ?? 1)
  );
  return isInside ? (places[0] ?? 0) * (kernel[1] ?? 1) + (places[1] ?? 0) : undefined;
}

/** Padding at top and left. */
function leadingPadding(op: TtnnOp): readonly number[] {
  const { top, left } = paddingOf({ name: op.name, attributes: op.attributeMap() });
  return [top, left];
}

/** Sum, added in f32, of the filters and the 1x1 filters padded to windows. */
function sumOfWeights(
  emit: PassBuilder,
  wide: TtnnOp,
  narrow: TtnnOp,
  place: number,
): TensorValue | undefined {
  const [windows, pixels] = [wide.tensorOperand(1), narrow.tensorOperand(1)];
  if (windows === undefined || pixels === undefined) return undefined;
  const { dataType, layout, shape } = windows.type;
  if (!isPlainFloat(dataType) || pixels.type.dataType !== dataType) return undefined;
  const [filters = 1, ...rest] = shape;
  const [channels = 1, ...kernel] = rest;
  const window = volume(kernel);
  if (volume(pixels.type.shape) !== filters * channels) return undefined;
  const column = emit.rowMajorReshape(pixels, [filters * channels, 1]);
  const padded = window === 1 ? column : emit.op(
    "ttnn.pad",
    [column],
    emit.type([filters * channels, window], dataType, { rowMajor: true }),
    {
      padding: [0, 0, place, window - 1 - place],
      use_multicore: true,
      value: 0,
    },
  );
  const inRows = (value: TensorValue): TensorValue =>
    emit.typecast(emit.tiled(emit.rowMajorReshape(value, [filters, volume(rest)])), "f32");
  const sum = emit.typecast(emit.binary("add", inRows(windows), inRows(padded)), dataType);
  if (layout.bufferType !== "system_memory") return emit.reshape(sum, shape);
  return emit.toHost(emit.rowMajorReshape(sum, shape));
}

/** Whether two values are equal views of convolution results. */
function sameViews(a: TensorValue, b: TensorValue): boolean {
  let views: readonly [TensorValue, TensorValue] = [a, b];
  for (;;) {
    const [left, right] = [views[0].producer, views[1].producer];
    if (left === undefined || right === undefined || left.name !== right.name) return false;
    if (!sameType(views[0].type, views[1].type)) return false;
    if (left.name === "ttnn.conv2d") return true;
    const [below, belowOther] = [left.tensorOperand(0), right.tensorOperand(0)];
    const permutes = [left, right].map((op) =>
      op.name === "ttnn.permute" ? op.read(PERMUTE).permutation : []
    );
    const isEquivalent = below !== undefined && belowOther !== undefined &&
      sameExtents(permutes[0] ?? [], permutes[1] ?? []);
    if (!isEquivalent) return false;
    views = [below, belowOther];
  }
}
