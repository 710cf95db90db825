// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { formatExtents } from "../layout/layout_error.ts";
import { broadcastShape } from "../layout/extents.ts";
import type { Shape } from "./shapes.ts";

/** Inputs of shape inference. */
export interface ShapedOp {
  /** One entry per operand; `undefined` for operands that are not tensors. */
  readonly operands: readonly (Shape | undefined)[];
  readonly attributes: AttributeMap;
  /** Shape that the text gives the result; used for what operands and properties leave open. */
  readonly declared: Shape | undefined;
}

/** Operands and properties that contradict each other. */
export interface ShapeFault {
  /** The fault, a sentence without the op's name. */
  readonly fault: string;
}

/** A shape, the reason why there is none, or `undefined` if the inputs do not determine it. */
export type InferredShape = Shape | ShapeFault | undefined;

/** Infers the shape of an op's first result. */
export type InferShape = (op: ShapedOp) => InferredShape;

/** Whether inference found a contradiction. */
export function isShapeFault(inferred: InferredShape): inferred is ShapeFault {
  return inferred !== undefined && "fault" in inferred;
}

/** The result has the shape of one operand. */
export function likeOperand(index: number): InferShape {
  return ({ operands }) => operands[index];
}

/** The operands broadcast to the result. */
export const broadcastOperands: InferShape = ({ operands }) => {
  const shapes = operands.filter((shape) => shape !== undefined);
  return shapes.length === 0 ? undefined : broadcastOrFault(shapes);
};

/** Shape that all shapes broadcast to, or why there is none. */
export function broadcastOrFault(shapes: readonly Shape[]): Shape | ShapeFault {
  return broadcastShape(shapes) ??
    { fault: `shapes ${shapes.map(formatExtents).join(" and ")} do not broadcast` };
}
