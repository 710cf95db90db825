// SPDX-License-Identifier: Apache-2.0
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { printAttributes } from "../ops/attributes/print_attributes.ts";
import { CONV2D, PREPARE_CONV2D } from "../ops/attributes/window.ts";
import { spellingsOf } from "../ops/op_attributes.ts";
import { preparationTexts } from "../dialect/prepared_weights.ts";
import { locationName } from "../ir/mod.ts";
import type { DataType } from "../layout/data_type.ts";
import type { Properties, TtnnOp } from "../ttnn/op.ts";
import { tensorType } from "../ttnn/tensor_type.ts";
import type { TensorValue, TtnnTensorType, TtnnType, TtnnValue } from "../ttnn/value.ts";
import { convolutionConfig, type ConvolutionFields, weightsFormat } from "./convolution_config.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { InvariantValues, raiseConstant } from "./invariant_values.ts";
import { isPreparingOp, preparingOp } from "../ops/preparing_ops.ts";
import { type GraphPass, type PassContext, visitingPass } from "./graph_pass.ts";
import { convolutionOperands } from "./patterns/convolutions/convolution_source.ts";
import { proposed, proposedWith } from "./patterns/matching.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/** The prepare ops of a kind of convolution. */
interface PreparationRule {
  /** Op that prepares the weight. */
  readonly weights: string;
  /** Op that prepares the bias. */
  readonly bias: string;
  /** Order of the weight's dimensions: output and input channels, height, width. */
  readonly format: "OIHW" | "IOHW";
}

/**
 * By the name of the convolution. TTNN has no such ops for `conv1d`, which is a `conv2d` at this point
 * (`convolution-along-line`).
 */
const PREPARATIONS: ReadonlyMap<string, PreparationRule> = new Map([
  ["ttnn.conv2d", {
    weights: "ttnn.prepare_conv2d_weights",
    bias: "ttnn.prepare_conv2d_bias",
    format: "OIHW",
  }],
  ["ttnn.conv_transpose2d", {
    weights: "ttnn.prepare_conv_transpose2d_weights",
    bias: "ttnn.prepare_conv_transpose2d_bias",
    format: "IOHW",
  }],
]);

/**
 * Converts weights and biases of convolutions to the kernel's form before const-eval, so that parameters are
 * prepared once, at load; non-parameters are prepared in every inference.
 */
export const prepareConvolutionWeights: GraphPass = visitingPass(
  { name: "prepare-convolution-weights", upstream: "level-1" },
  (body, context) => {
    const constants = new InvariantValues(body);
    return (op) => {
      const preparation = PREPARATIONS.get(op.name);
      return preparation !== undefined && prepare(op, preparation, body, constants, context);
    };
  },
);

function prepare(
  op: TtnnOp,
  preparation: PreparationRule,
  body: TtnnFunction,
  constants: InvariantValues,
  context: PassContext,
): boolean {
  const [given, result] = [convolutionOperands(op), op.tensorResult];
  if (given === undefined || result === undefined) return false;
  const { input, weight, bias, device } = given;
  if (weight.type.layout.bufferType !== "system_memory" || isPrepared(weight)) return false;
  const [, , height = 1, width = 1] = weight.type.shape;
  const { in_channels: inChannels } = op.read(CONV2D);
  const outChannels = result.type.shape.at(-1);
  if (outChannels === undefined) return false;
  const form = configuredFormat(op, weight, context);
  if (form === undefined) return false;
  for (const operand of op.operands.slice(1)) if (constants.has(operand)) raiseConstant(operand, op, body);
  op.set(form.attributes);
  const { format } = form;
  const emit = new PassBuilder(body, op, context);
  const read = onDevice(input, device, emit);
  body.setOperand(op, 0, read);
  const rows = context.preparedRows(proposed(op));
  const told = printAttributes(PREPARE_CONV2D, {
    has_bias: bias !== undefined,
    weights_format: preparation.format,
  });
  const shared = sharedTexts(op);
  const prepared = (name: string, from: TtnnValue, shape: readonly number[], more: AttributeTexts) =>
    emit.op(
      name,
      [from, device],
      emit.type(shape, format),
      new Map([
        ...preparationTexts(preparingOp(name), read.type.layout, shared),
        ...printAttributes(PREPARE_CONV2D, { output_dtype: result.type.layout.dataType }),
        ...more,
      ]),
    );
  // Without the tensors' additional padding (ttnn:backend-0-81-1).
  const shape = [1, 1, rows ?? height * width * inChannels, outChannels];
  body.setOperand(op, 1, prepared(preparation.weights, weight, shape, told));
  if (bias !== undefined) {
    const source = hostBias(emit, bias, weight);
    body.setOperand(op, 2, prepared(preparation.bias, source, [1, 1, 1, outChannels], new Map()));
  }
  return true;
}

/** Element type of prepared weights, and the configs that say so; `undefined` if the op's config cannot be read. */
function configuredFormat(
  op: TtnnOp,
  weight: TensorValue,
  context: PassContext,
): { readonly format: DataType; readonly attributes: Properties } | undefined {
  const form = askedForm(op, weight.type, context);
  const given = op.read(CONV2D).conv2d_config;
  // The prepare kernels read the format from the config (ttnn:backend-0-81-1).
  const written = form === undefined ? weightsFormat(given) : undefined;
  const format = written ?? form?.format ?? weight.type.dataType;
  const config = convolutionConfig(given, { ...form?.config, weights_dtype: format });
  if (config === undefined) return undefined;
  return {
    format,
    attributes: {
      ...(written === undefined && { conv2d_config: config }),
      ...(form?.slice !== undefined && { conv2d_slice_config: form.slice }),
    },
  };
}

/** Weights are prepared for an input on the device: one on the host is moved there first. */
function onDevice(input: TensorValue, device: TtnnValue, emit: PassBuilder): TensorValue {
  const { shape, dataType, layout: { bufferType, tile } } = input.type;
  if (bufferType !== "system_memory") return input;
  return emit.op(
    "ttnn.to_device",
    [input, device],
    emit.type(shape, dataType, { rowMajor: tile === undefined }),
  );
}

/**
 * The format of `experimental-weight-dtype`, and how the convolution runs with it; `undefined` for an op that keeps its
 * own format, and for one that runs with no other: where only slices of an operand in DRAM fit into L1, weights are rows,
 * which block formats are not (`ttnn:backend-0-81-1`).
 */
function askedForm(
  op: TtnnOp,
  { dataType }: TtnnTensorType,
  context: PassContext,
): PreparedForm | undefined {
  const { weightDtype: format, keptOps } = context.options;
  if (format === undefined || keptOps?.has(locationName(context.module, op.location)) === true) {
    return undefined;
  }
  const sliced: PreparedForm = { format, config: {} };
  const whole: PreparedForm = { ...sliced, slice: WHOLE };
  const forms = [sliced, whole, { ...whole, config: { act_block_h_override: 32 } }];
  const isLost = runs(op, { ...sliced, format: dataType }, context);
  return forms.find((form) => runs(op, form, context)) ?? (isLost ? undefined : sliced);
}

/** The operand is read into L1 as a whole. */
const WHOLE = "#ttnn.conv2d_slice_config<l1_full, 0>";

/** Weights of a format and the config in which a convolution reads them. */
interface PreparedForm {
  readonly format: DataType;
  readonly config: ConvolutionFields;
  readonly slice?: string;
}

/** Whether a convolution of an operand in DRAM runs with weights and bias prepared so. */
function runs(op: TtnnOp, { format, config, slice }: PreparedForm, context: PassContext): boolean {
  const made = convolutionConfig(op.read(CONV2D).conv2d_config, { ...config, weights_dtype: format });
  const [weight, bias] = [op.tensorOperand(1)?.type, op.operands.length > 3 ? 2 : undefined];
  const [, , height = 1, width = 1] = weight?.shape ?? [];
  const { in_channels: inChannels, out_channels: outChannels } = op.read(CONV2D);
  const prepared = (rows: number): TtnnType => tensorType(context.chip, [1, 1, rows, outChannels], format);
  return context.isLegal(proposedWith(op, {
    operands: op.operands.map(({ type }, index) =>
      index === 1 ? prepared(height * width * inChannels) : index === bias ? prepared(1) : type
    ),
    properties: { conv2d_config: made, conv2d_slice_config: slice },
  }));
}

function isPrepared({ producer }: TtnnValue): boolean {
  return producer !== undefined && isPreparingOp(producer.name);
}

/** Biases are prepared on the host, in the format of the weights, as in upstream. */
function hostBias(emit: PassBuilder, bias: TensorValue, weight: TensorValue): TtnnValue {
  if (bias.type.layout.bufferType === "system_memory") return bias;
  return emit.toHost(emit.typecast(bias, weight.type.dataType));
}

/** Properties of a convolution that its prepare ops have as well (tt-mlir:ttir-to-ttnn). */
function sharedTexts(op: TtnnOp): AttributeTexts {
  const shared = spellingsOf(PREPARE_CONV2D);
  return new Map([...op.properties].filter(([name]) => shared.has(name)));
}
