// SPDX-License-Identifier: Apache-2.0
import type { AttributeForm } from "./attributes/attribute_form.ts";
import { NO_ATTRIBUTES } from "./attributes/common.ts";
import {
  CROSS_ENTROPY_GRADIENT,
  LAYER_NORM_FORWARD,
  RMS_NORM_FORWARD,
  SOFTMAX_GRADIENT,
} from "./attributes/training.ts";
import { defineOp, type OpDefinition, type OperandWord, repeated } from "./definition.ts";
import { likeOperand } from "./shape_inference.ts";

/** Families of tt-train's kernels that go over whole rows. */
export type TrainingRowFamily =
  | "rms_norm_forward"
  | "layer_norm_forward"
  | "rms_norm_gradient"
  | "layer_norm_gradient"
  | "softmax_gradient"
  | "cross_entropy_forward"
  | "cross_entropy_gradient";

/** Families of tt-train's kernels that take tile by tile. */
export type TrainingTileFamily = "silu_gradient" | "swiglu_gradient";

/** Families of tt-train's kernels. */
export type TrainingFamily = TrainingRowFamily | TrainingTileFamily;

/** A kernel whose result 0 has the shape and format of the first operand. */
function likeFirst(
  name: string,
  family: TrainingFamily,
  operands: readonly OperandWord[],
  results: number | undefined,
  attributes: AttributeForm = NO_ATTRIBUTES,
): OpDefinition<TrainingFamily> {
  const facts = { attributes, operands, results, inferShape: likeOperand(0), formatOf: 0 } as const;
  return defineOp(`ttnn.${name}`, family, "training", facts);
}

/**
 * Forward passes that keep what their gradients need, and these gradients (tt-mlir:training-ops). Statistics and
 * gradients of weights are further results. No time of them is published, so that they are a cost class of their own.
 */
export const TRAINING: readonly OpDefinition<TrainingFamily>[] = [
  likeFirst("rmsnorm_fw", "rms_norm_forward", ["activation", "weight"], undefined, RMS_NORM_FORWARD),
  likeFirst(
    "layernorm_fw",
    "layer_norm_forward",
    ["activation", "weight", "bias"],
    undefined,
    LAYER_NORM_FORWARD,
  ),
  // Input, scale, root mean square, gradient of the result.
  likeFirst("rmsnorm_bw", "rms_norm_gradient", ["activation", "weight", "activation", "activation"], 2),
  // Input, scale, mean, reciprocal deviation, gradient of the result.
  likeFirst("layernorm_bw", "layer_norm_gradient", ["activation", "weight", ...repeated(3, "activation")], 3),
  likeFirst("softmax_backward", "softmax_gradient", repeated(2, "activation"), 1, SOFTMAX_GRADIENT),
  // Logits and the class of each row, whose loss comes out.
  defineOp("ttnn.cross_entropy_fw", "cross_entropy_forward", "training", {
    operands: ["activation", "index"],
    inferShape: ({ operands: [logits] }) => logits?.with(-1, 1),
    formatOf: 0,
  }),
  likeFirst(
    "cross_entropy_bw",
    "cross_entropy_gradient",
    ["activation", "index", "activation"],
    1,
    CROSS_ENTROPY_GRADIENT,
  ),
  likeFirst("silu_bw", "silu_gradient", repeated(2, "activation"), 1),
  // Input, gate, gradient of the result.
  likeFirst("swiglu_elemwise_bw", "swiglu_gradient", repeated(3, "activation"), 2),
];
