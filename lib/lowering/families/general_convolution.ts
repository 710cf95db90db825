// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, sameExtents, volume } from "../../layout/extents.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { type Convolution, convolved, convolvedTransposed } from "./convolution.ts";
import { convolved3d } from "./convolution_3d.ts";
import { fallingOrder } from "./data_movement.ts";
import { type FlatImage, integerField } from "./image.ts";

/** The convolution of older generations. */
export const GENERAL_CONVOLUTION: LoweringRules = {
  "ttir.convolution": { lower: generalConvolution },
};

/** A window along one spatial dimension. */
interface WindowAxis {
  readonly stride: number;
  /** Zeros before and after; negative amounts crop. */
  readonly padding: readonly [number, number];
  /** Distance between the taps of the kernel. */
  readonly dilation: number;
  /** Distance between pixels of the input: above one, zeros lie between them and the convolution is a transposed one. */
  readonly inputDilation: number;
  /** Whether the kernel runs backwards. */
  readonly isReversed: boolean;
}

/** A missing dimension: one pixel, one tap. */
const ONE_PIXEL: WindowAxis = {
  stride: 1,
  padding: [0, 0],
  dilation: 1,
  inputDilation: 1,
  isReversed: false,
};

/** `stablehlo.convolution` with every dimension's role spelled out. */
function generalConvolution(op: TtirOp, f: FunctionLowering): void {
  const input = rolesOf(op, "input", ["batch", "feature"]);
  const kernel = rolesOf(op, "kernel", ["output_feature", "input_feature"]);
  const output = rolesOf(op, "output", ["batch", "feature"]);
  if (input.spatial.length === 3) return overVolumes(op, f, { input, kernel, output });
  const axes = axesOf(op, input.spatial.length);
  const [batch = 1, height = 1, width = 1, channels = 1] = alongRoles(f.operand(op, 0), input).shape;
  // Groups of the batch meet groups of the kernel's outputs: one convolution in as many groups over a smaller batch.
  const batchGroups = op.integer("batch_group_count") ?? 1;
  const perGroup = batch / batchGroups;
  const grouped = reshaped(alongRoles(f.operand(op, 0), input), [
    batchGroups,
    perGroup,
    height,
    width,
    channels,
  ]);
  const pixels = [perGroup, height, width, batchGroups * channels];
  const flat = reshaped(permuted(grouped, [1, 2, 3, 0, 4]), [
    1,
    1,
    volume(pixels.slice(0, 3)),
    pixels[3] ?? 1,
  ]);
  const image: FlatImage = { flat, batch: perGroup, height, width, channels: batchGroups * channels };
  const weight = permuted(alongRoles(f.operand(op, 1), kernel), [0, 3, 1, 2]);
  const groups = batchGroups * (op.integer("feature_group_count") ?? 1);
  const bias = biasOf(op, f, weight.shape[0] ?? 1);
  const operands = { image, weight, groups, ...(bias === undefined ? {} : { bias }) };
  const result = axes.some(({ inputDilation }) => inputDilation > 1)
    ? transposed(op, f, operands, axes)
    : direct(op, f, operands, axes);
  const last = [result.batch, result.height, result.width, result.channels];
  op.expectShape(inversePermutation(output.order).map((at) => present(last, output)[at] ?? 1));
  f.defineResult(
    op,
    permuted(reshaped(result.flat, present(last, output)), inversePermutation(output.order)),
  );
}

/** The bias: an operand with one number per output channel. A further operand is the destination of older generations. */
function biasOf(op: TtirOp, f: FunctionLowering, channels: number): LazyTensor | undefined {
  const [, , third, ...others] = op.operands.map((_, index) => f.operand(op, index));
  const isDestination = ({ shape }: LazyTensor): boolean => sameExtents(shape, op.resultType().shape);
  if (third === undefined || (others.length === 0 && isDestination(third))) return undefined;
  if (volume(third.shape) !== channels || !others.every(isDestination) || others.length > 1) {
    throw op.error(
      `it has ${op.operands.length} operands; expected input, weight and a bias of ${channels} numbers at most`,
      "operands",
    );
  }
  return third;
}

/** The same over three spatial dimensions. */
function overVolumes(
  op: TtirOp,
  f: FunctionLowering,
  { input, kernel, output }: Readonly<Record<"input" | "kernel" | "output", Roles>>,
): void {
  const axes = [0, 1, 2].map((axis) => axisOf(op, axis));
  for (const { padding: [before, after], dilation, inputDilation } of axes) {
    if (before !== after || before < 0) {
      throw op.error(
        "over three spatial dimensions, padding must be alike on both sides; pad the input first",
      );
    }
    if (dilation !== 1 || inputDilation !== 1) {
      throw op.error("dilation over three spatial dimensions has no TTNN counterpart");
    }
  }
  if ((op.integer("batch_group_count") ?? 1) !== 1) {
    throw op.error("groups of a batch of volumes have no TTNN counterpart; split the batch");
  }
  const weight = permuted(f.operand(op, 1), [0, 4, 1, 2, 3].map((at) => kernel.order[at] ?? at));
  const result = convolved3d(op, f, {
    input: permuted(f.operand(op, 0), input.order),
    weight: reversed(f, weight, axes.map(({ isReversed }) => isReversed)),
    bias: biasOf(op, f, weight.shape[0] ?? 1),
    stride: axes.map(({ stride }) => stride),
    padding: axes.map(({ padding: [around] }) => around),
    paddingMode: '"zeros"',
    groups: op.integer("feature_group_count") ?? 1,
  });
  const inPlace = permuted(result, inversePermutation(output.order));
  op.expectShape(inPlace.shape);
  f.defineResult(op, inPlace);
}

type Operands = Pick<Convolution, "image" | "weight" | "groups" | "bias">;

function direct(
  op: TtirOp,
  f: FunctionLowering,
  { weight, ...operands }: Operands,
  axes: WindowAxes,
): FlatImage {
  const [vertical, horizontal] = axes;
  return convolved(op, f, {
    ...operands,
    weight: reversed(f, weight, axes.map(({ isReversed }) => isReversed)),
    stride: [vertical.stride, horizontal.stride],
    padding: {
      top: vertical.padding[0],
      left: horizontal.padding[0],
      bottom: vertical.padding[1],
      right: horizontal.padding[1],
    },
    dilation: [vertical.dilation, horizontal.dilation],
  });
}

/** The op spreads each pixel over a window: the kernel runs backwards of itself, and padding is what it cuts off. */
function transposed(
  op: TtirOp,
  f: FunctionLowering,
  { weight, ...operands }: Operands,
  axes: WindowAxes,
): FlatImage {
  const { groups } = operands;
  const [outChannels = 1, perGroup = 1, ...window] = weight.shape;
  const along = axes.map(({ stride, padding, dilation, inputDilation }, axis) => {
    if (stride !== 1) throw op.error("a stride over a dilated input is not supported");
    const reach = dilation * ((window[axis] ?? 1) - 1);
    const [cut, added] = [reach - padding[0], padding[1] - padding[0]];
    if (cut < 0 || added < 0) {
      throw op.error(
        `padding ${
          padding.join(", ")
        } around a dilated input has no counterpart: it must be at most ${reach} in front, ` +
          "and behind not less than in front",
      );
    }
    return { stride: inputDilation, cut, added };
  });
  const [vertical = { stride: 1, cut: 0, added: 0 }, horizontal = vertical] = along;
  const split = reshaped(reversed(f, weight, axes.map(({ isReversed }) => !isReversed)), [
    groups,
    outChannels / groups,
    perGroup,
    ...window,
  ]);
  return convolvedTransposed(op, f, {
    ...operands,
    weight: reshaped(permuted(split, [0, 2, 1, 3, 4]), [groups * perGroup, outChannels / groups, ...window]),
    stride: [vertical.stride, horizontal.stride],
    padding: {
      top: vertical.cut,
      left: horizontal.cut,
      bottom: vertical.cut,
      right: horizontal.cut,
    },
    dilation: [axes[0].dilation, axes[1].dilation],
  }, [vertical.added, horizontal.added]);
}

type WindowAxes = readonly [WindowAxis, WindowAxis];

/** The kernel `[out, in, …]` backwards along some of its spatial dimensions. */
function reversed(f: FunctionLowering, weight: LazyTensor, backwards: readonly boolean[]): LazyTensor {
  return fallingOrder(f, weight, backwards.flatMap((is, axis) => (is ? [2 + axis] : [])));
}

/** The roles of the dimensions. */
interface Roles {
  readonly spatial: readonly number[];
  /** The tensor's dimensions as first role, spatial ones, second role. */
  readonly order: readonly number[];
}

function rolesOf(op: TtirOp, tensor: string, [first, last]: readonly [string, string]): Roles {
  const layout = op.attribute("convolution_layout");
  if (layout?.kind !== "dialect") {
    throw op.error("attribute 'convolution_layout' is missing", "attribute");
  }
  const dim = (name: string): number =>
    integerField(op, "convolution_layout", layout.body, `${tensor}_${name}`);
  const spatial = new RegExp(`\\b${tensor}_spatial_dimensions = (\\d+(?:x\\d+)*)`).exec(layout.body)?.[1]
    ?.split("x").map(Number) ?? [];
  if (spatial.length < 1 || spatial.length > 3) {
    throw op.error(`it has ${spatial.length} spatial dimensions; one to three are supported`);
  }
  return { spatial, order: [dim(first), ...spatial, dim(last)] };
}

/** The tensor as first role, height, width, second role; a line has a width of one. */
function alongRoles(tensor: LazyTensor, { spatial, order }: Roles): LazyTensor {
  const inOrder = permuted(tensor, order);
  return spatial.length === 2 ? inOrder : reshaped(inOrder, inOrder.shape.toSpliced(2, 0, 1));
}

/** Extents that the tensor has, of first role, height, width and second role. */
function present(extents: readonly number[], { spatial }: Roles): readonly number[] {
  return spatial.length === 2 ? extents : extents.toSpliced(2, 1);
}

function axesOf(op: TtirOp, count: number): WindowAxes {
  return [axisOf(op, 0), count > 1 ? axisOf(op, 1) : ONE_PIXEL];
}

function axisOf(op: TtirOp, axis: number): WindowAxis {
  const one = (name: string): number => op.integers(name)?.[axis] ?? 1;
  const padding = op.integers("padding") ?? [];
  const reversal = op.attribute("window_reversal");
  return {
    stride: one("window_strides"),
    padding: [padding[2 * axis] ?? 0, padding[2 * axis + 1] ?? 0],
    dilation: one("weight_dilation"),
    inputDilation: one("input_dilation"),
    isReversed: reversal?.kind === "denseArray" && (reversal.values[axis] ?? 0) !== 0,
  };
}
