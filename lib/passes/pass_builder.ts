// SPDX-License-Identifier: Apache-2.0
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { TensorBuilder } from "../ttnn/tensor_builder.ts";
import type { PassContext } from "./graph_pass.ts";

/** Creates the ops of a pass before an anchor op. */
export class PassBuilder extends TensorBuilder {
  declare readonly anchor: TtnnOp;
  readonly context: PassContext;

  constructor(body: TtnnFunction, anchor: TtnnOp, context: PassContext) {
    super(body, context.chip, anchor);
    this.context = context;
  }
}
