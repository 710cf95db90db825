// SPDX-License-Identifier: Apache-2.0
import type { AttributeForm } from "./attributes/attribute_form.ts";
import { NO_ATTRIBUTES } from "./attributes/common.ts";
import {
  CROSS_ENTROPY_GRADIENT,
  LAYER_NORM_FORWARD,
  RMS_NORM_FORWARD,
  SOFTMAX_GRADIENT,
} from "./attributes/training.ts";
import {
  defineOps,
  type DefinitionFields,
  type OpDefinition,
  operand,
  type OperandRole,
} from "./definition.ts";
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

/** All operands are required; result 0 has the shape and format of the first. */
function likeFirst(
  roles: readonly OperandRole[],
  results: number | undefined,
  attributes: AttributeForm = NO_ATTRIBUTES,
): DefinitionFields {
  return { attributes, operands: roles.map(operand), results, inferShape: likeOperand(0), formatOf: 0 };
}

/**
 * Forward passes that keep what their gradients need, and these gradients (tt-mlir:training-ops). Statistics and
 * gradients of weights are further results. No time of them is published, so that they are a cost class of their own.
 */
export const TRAINING: readonly OpDefinition<TrainingFamily>[] = [
  ...defineOps(
    "rmsnorm_fw",
    "rms_norm_forward",
    "training",
    likeFirst(["activation", "weight"], undefined, RMS_NORM_FORWARD),
  ),
  ...defineOps(
    "layernorm_fw",
    "layer_norm_forward",
    "training",
    likeFirst(["activation", "weight", "bias"], undefined, LAYER_NORM_FORWARD),
  ),
  // Input, scale, root mean square, gradient of the result.
  ...defineOps(
    "rmsnorm_bw",
    "rms_norm_gradient",
    "training",
    likeFirst(["activation", "weight", "activation", "activation"], 2),
  ),
  // Input, scale, mean, reciprocal deviation, gradient of the result.
  ...defineOps(
    "layernorm_bw",
    "layer_norm_gradient",
    "training",
    likeFirst(["activation", "weight", "activation", "activation", "activation"], 3),
  ),
  ...defineOps(
    "softmax_backward",
    "softmax_gradient",
    "training",
    likeFirst(["activation", "activation"], 1, SOFTMAX_GRADIENT),
  ),
  // Logits and the class of each row, whose loss comes out.
  ...defineOps("cross_entropy_fw", "cross_entropy_forward", "training", {
    operands: [operand("activation"), operand("index")],
    inferShape: ({ operands: [logits] }) => logits?.with(-1, 1),
    formatOf: 0,
  }),
  ...defineOps(
    "cross_entropy_bw",
    "cross_entropy_gradient",
    "training",
    likeFirst(["activation", "index", "activation"], 1, CROSS_ENTROPY_GRADIENT),
  ),
  ...defineOps("silu_bw", "silu_gradient", "training", likeFirst(["activation", "activation"], 1)),
  // Input, gate, gradient of the result.
  ...defineOps(
    "swiglu_elemwise_bw",
    "swiglu_gradient",
    "training",
    likeFirst(["activation", "activation", "activation"], 2),
  ),
];
