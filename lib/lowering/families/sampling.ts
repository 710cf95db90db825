// SPDX-License-Identifier: Apache-2.0
import { fromTensor, type FunctionLowering, SI32, U32 } from "../function_lowering.ts";
import { reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { slice } from "./data_movement.ts";

/** Choosing tokens and experts. */
export const SAMPLING: LoweringRules = {
  "ttir.sampling": { lower: sampling, operands: 5 },
  "ttir.topk_router_gpt": { lower: topkRouter, operands: 3 },
};

/** Values and indices of the candidates in rank four; indices, k, p and temperature row-major. */
function sampling(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const [users = 1, candidates = 1] = f.operand(op, 0).shape.slice(-2);
  const wide = [1, 1, users, candidates];
  const values = f.tile(reshaped(f.operand(op, 0), wide));
  const indices = f.rowMajor(reshaped(f.typecast(f.operand(op, 1), SI32), wide));
  const settings = f.operandsFrom(op, 2).map((setting) => f.rowMajor(setting));
  const type = { shape: [1, 1, 1, users], element: U32 };
  const chosen = f.apply("sampling", [values, indices, ...settings], type, {}, { place: { rowMajor: true } });
  f.defineResult(op, reshaped(f.typecast(chosen, element), shape));
}

/** The kernel always gives eight experts, row-major in L1. */
const ROUTED_EXPERTS = 8;

function topkRouter(op: TtirOp, f: FunctionLowering): void {
  const results = [op.resultType(0), op.resultType(1)];
  const k = op.requiredInteger("k");
  if (k > ROUTED_EXPERTS) throw op.error(`the kernel gives ${ROUTED_EXPERTS} experts, not ${k}`);
  const types = results.map(({ shape, element }) => {
    return f.type(shape.with(-1, ROUTED_EXPERTS), element, { rowMajor: true, bufferType: "l1" });
  });
  const outputs = f.emitMany("topk_router_gpt", f.operandsFrom(op, 0).map((x) => f.tile(x)), types, {
    k: ROUTED_EXPERTS,
    num_experts: op.requiredInteger("num_experts"),
  });
  outputs.forEach((output, index) => {
    const type = op.resultType(index);
    const routed = fromTensor(output);
    if (k === ROUTED_EXPERTS) return f.defineResult(op, routed, index);
    f.defineResult(op, slice(op, f, routed, { ends: type.shape }), index);
  });
}
