// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { broadcastShape, volume } from "../../layout/extents.ts";
import { QUANTIZATION } from "../../ops/attributes/elementwise.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { reshapeSharesBuffer } from "../data_movement/memory_move.ts";
import { reshapeSteps } from "../data_movement/reshape.ts";
import { eltwiseStep } from "./eltwise.ts";
import { typecastProgram } from "./eltwise_program.ts";
import { type ChainStep, chainStep, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type OpPrograms, unknownPrograms } from "../program.ts";
import { isPresent, type ProgramTensor, withFormat, withShape } from "../program_tensor.ts";

/** Scale and zero point: one number each, or one per channel. */
interface Affine {
  readonly scale: ProgramTensor;
  readonly zeroPoint: ProgramTensor;
}

/** The dimension of the input along which scales and zero points lie; `undefined` if they are single numbers. */
export function channelAxis(op: Pick<OpLaunch, "attributes">, rank: number): number | undefined {
  const { axis } = readAttributes(op, QUANTIZATION);
  return axis !== undefined && axis < 0 ? axis + rank : axis;
}

/**
 * Quantization ops as chains of binary programs and casts. Scalars and vectors are read in their own memory,
 * in the float format or in 32 bits; intermediates are in the input's memory (`ttnn:backend-0-81-1`).
 */
export function quantizationPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const [input, scale, zeroPoint, ...more] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined || scale === undefined || zeroPoint === undefined) {
    return unknownPrograms(op.name, "needs an input, a scale, a zero point and a result");
  }
  const [outScale, outZeroPoint] = more.filter(isPresent);
  const rank = input.shape.length;
  const axis = channelAxis(op, rank);
  const chain = new QuantizationChain(context, [rank, axis ?? rank - 1]);
  const perAxis = axis !== undefined;
  const from = { scale, zeroPoint };
  const { family } = definitionOf(op.name);
  if (family === "requantize") {
    if (outScale === undefined || outZeroPoint === undefined) {
      return unknownPrograms(op.name, "needs a scale and a zero point of its result");
    }
    const to = { scale: outScale, zeroPoint: outZeroPoint };
    if (perAxis) {
      chain.requantizePerAxis(input, from, to, output);
    } else {
      const floats = withFormat(input, "bf16");
      chain.dequantize(input, from, floats, false);
      chain.quantize(floats, to, output, false);
    }
  } else if (family === "quantize") chain.quantize(input, from, output, perAxis);
  else chain.dequantize(input, from, output, perAxis);
  return launchChain(chain.steps, context.chip);
}

/** The steps of a quantization op, in the backend's order. */
class QuantizationChain {
  readonly #context: LaunchContext;
  readonly #channels: readonly [rank: number, axis: number];
  readonly steps: ChainStep[] = [];

  /** @param channels dimensions of the input, and the one along which vectors lie */
  constructor(context: LaunchContext, channels: readonly [rank: number, axis: number]) {
    this.#context = context;
    this.#channels = channels;
  }

  /**
   * Divides by the scale and adds the zero point in the input's format; casts the result. A vector of scales is cast to f32
   * first.
   */
  quantize(
    input: ProgramTensor,
    { scale, zeroPoint }: Affine,
    output: ProgramTensor,
    perAxis: boolean,
  ): void {
    const given = perAxis ? this.#vector(scale, "f32") : scale;
    const shifts = perAxis ? this.#vector(zeroPoint, input.dataType) : undefined;
    const divisor = this.#inFormat(given, input.dataType);
    const quotient = this.#binary("divide", input, divisor, input, divisor === given ? [] : [divisor]);
    const shift = shifts ?? this.#inFormat(zeroPoint, input.dataType);
    this.#castTo(this.#binary("add", quotient, shift, input), output);
  }

  /** Subtracts the zero point in integers, then multiplies by the scale in f32, directly into the result. */
  dequantize(
    input: ProgramTensor,
    { scale, zeroPoint }: Affine,
    output: ProgramTensor,
    perAxis: boolean,
  ): void {
    const factor = perAxis ? this.#vector(scale, "f32") : undefined;
    const shift = perAxis ? this.#vector(zeroPoint, "si32") : zeroPoint;
    const difference = this.#binary("subtract", input, shift, withFormat(input, "si32"));
    const floats = this.#cast(difference, "f32", [difference]);
    const read = factor ?? this.#inFormat(scale, "f32");
    this.#run("multiply", [floats, read], output, read === scale ? [floats] : [read, floats]);
  }

  /** Combines both scales into one factor and both zero points into one offset, all in f32. */
  requantizePerAxis(input: ProgramTensor, from: Affine, to: Affine, output: ProgramTensor): void {
    const [scale, zeroPoint] = [this.#vector(from.scale, "f32"), this.#vector(from.zeroPoint, "f32")];
    const [outScale, outZeroPoint] = [this.#vector(to.scale, "f32"), this.#vector(to.zeroPoint, "f32")];
    const factor = this.#binary("divide", scale, outScale, scale);
    const moved = this.#binary("multiply", zeroPoint, factor, zeroPoint);
    const shift = this.#binary("subtract", outZeroPoint, moved, outZeroPoint);
    const floats = this.#cast(input, "f32");
    const product = this.#binary("multiply", floats, factor, floats, [floats]);
    const sum = withFormat(output, "f32");
    this.#run("add", [product, shift], sum);
    this.#castTo(sum, output);
  }

  /** A binary program whose result has a tensor's memory and format. */
  #binary(
    name: string,
    a: ProgramTensor,
    b: ProgramTensor,
    like: ProgramTensor,
    frees: readonly ProgramTensor[] = [],
  ): ProgramTensor {
    const made = withShape(like, broadcastShape([a.shape, b.shape]) ?? like.shape);
    this.#run(name, [a, b], made, frees);
    return made;
  }

  #run(
    name: string,
    operands: readonly ProgramTensor[],
    tensor: ProgramTensor,
    frees: readonly ProgramTensor[] = [],
  ): void {
    this.steps.push(chainStep(tensor, eltwiseStep(`ttnn.${name}`, operands, tensor, this.#context), frees));
  }

  /** A cast vector along its axis, with a dimension of one for each of the input's others. */
  #vector(vector: ProgramTensor, dataType: DataType): ProgramTensor {
    const cast = this.#cast(vector, dataType);
    const [rank, axis] = this.#channels;
    const made = withShape(cast, new Array<number>(rank).fill(1).with(axis, volume(vector.shape)));
    if (reshapeSharesBuffer(cast, made)) return cast;
    const steps = reshapeSteps(cast, made, this.#context.chip);
    this.steps.push(...freeing(steps, cast));
    return made;
  }

  /** The tensor itself if it has the format, otherwise its cast. */
  #inFormat(tensor: ProgramTensor, dataType: DataType): ProgramTensor {
    return tensor.dataType === dataType ? tensor : this.#cast(tensor, dataType);
  }

  #cast(tensor: ProgramTensor, dataType: DataType, frees: readonly ProgramTensor[] = []): ProgramTensor {
    const made = withFormat(tensor, dataType);
    this.#castTo(tensor, made, frees);
    return made;
  }

  #castTo(tensor: ProgramTensor, made: ProgramTensor, frees: readonly ProgramTensor[] = []): void {
    this.steps.push(chainStep(made, typecastProgram(tensor, made, this.#context.chip), frees));
  }
}
