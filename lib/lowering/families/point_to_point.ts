// SPDX-License-Identifier: Apache-2.0
import { scalar } from "../../ops/attributes/print_attributes.ts";
import { volume } from "../../layout/extents.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import type { LazyTensor } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { sliceAlong } from "./data_movement.ts";

/** Exchanges that TTNN has no op for: each part goes from one chip to another on its own, as upstream writes them. */
export const POINT_TO_POINT: LoweringRules = {
  "ttir.all_to_all": { lower: allToAll, operands: 1 },
  "ttir.collective_permute": { lower: collectivePermute, operands: 1 },
  "ttir.collective_broadcast": { lower: collectiveBroadcast, operands: 1 },
};

/** Chips of a group swap slices: the slice of every sender on all chips, those of each sender put together. */
function allToAll(op: TtirOp, f: FunctionLowering): void {
  const { shape: result } = op.resultType();
  const input = f.operand(op, 0);
  const groups = integerRows(op, "replica_groups");
  const count = op.requiredInteger("split_count");
  if (groups.some((group) => group.length !== count)) {
    throw op.error(`every one of 'replica_groups' must have ${count} chips`, "attribute");
  }
  const rank = input.shape.length;
  const split = op.dimension(op.requiredInteger("split_dim"), rank);
  const extent = input.shape[split] ?? 0;
  if (extent % count !== 0) throw op.error(`${extent} is not a multiple of ${count}`, "attribute");
  const own = extent / count;
  const part = { shape: input.shape.with(split, own), element: op.resultType().element };
  const slices = Array.from(
    { length: count },
    (_, index) => sliceAlong(op, f, input, split, index * own, (index + 1) * own),
  );
  const received = slices.map((slice, sender) => {
    const buffer = f.apply("assign", [slice], part);
    return groups.reduce(
      (into, group) =>
        slices.reduce(
          (into, slice, receiver) => sent(op, f, slice, into, [group[sender], group[receiver]]),
          into,
        ),
      buffer,
    );
  });
  const dim = op.dimension(op.requiredInteger("concat_dim"), result.length);
  f.replace(op, "concat", received, { dim: dim });
}

/** A chip that receives nothing has zeros afterwards. */
function collectivePermute(op: TtirOp, f: FunctionLowering): void {
  const type = op.resultType();
  const input = f.operand(op, 0);
  const pairs = integerRows(op, "source_target_pairs");
  let result = f.apply("assign", [input], type);
  for (const [source, target] of pairs) result = sent(op, f, input, result, [source, target]);
  const targets = pairs.map(([, target]) => target);
  const chips = volume(f.mesh);
  const left = Array.from({ length: chips }, (_, chip) => chip).filter((chip) => !targets.includes(chip));
  if (left.length > 0 && targets.length > 0) {
    const zero = scalar(0, type.element.dataType);
    const zeros = f.apply("clamp_scalar", [input], type, { max: zero, min: zero });
    for (const chip of left) result = sent(op, f, zeros, result, [targets[0], chip]);
  }
  f.defineResult(op, result);
}

/** All chips of a group get what its first one has. */
function collectiveBroadcast(op: TtirOp, f: FunctionLowering): void {
  const type = op.resultType();
  const input = f.operand(op, 0);
  op.expectShape(input.shape);
  let result = f.apply("assign", [input], type);
  for (const [source, ...receivers] of integerRows(op, "replica_groups")) {
    for (const receiver of receivers) result = sent(op, f, input, result, [source, receiver]);
  }
  f.defineResult(op, result);
}

/** One chip's tensor into another one's; a chip does not send to itself. */
function sent(
  op: TtirOp,
  f: FunctionLowering,
  tensor: LazyTensor,
  into: LazyTensor,
  [sender, receiver]: readonly (number | undefined)[],
): LazyTensor {
  if (sender === undefined || receiver === undefined) {
    throw op.error("a chip of the exchange is missing", "attribute");
  }
  if (sender === receiver) return into;
  return f.apply("point_to_point", [tensor, into], into, {
    receiver_coord: coordinates(op, f, receiver),
    sender_coord: coordinates(op, f, sender),
  });
}

/** Chips are numbered along the last axis of the mesh first. */
function coordinates(op: TtirOp, f: FunctionLowering, chip: number): readonly number[] {
  const at: number[] = [];
  let rest = chip;
  for (const extent of f.mesh.toReversed()) {
    at.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  if (rest > 0 || f.mesh.length === 0) {
    throw op.error(
      f.mesh.length === 0
        ? `it names chip ${chip}, but no mesh is known; give its shape with --mesh-shape, such as 1x${
          chip + 1
        }`
        : `the mesh has no chip ${chip}`,
      "attribute",
    );
  }
  return at;
}

/** Rows of `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`, also where one number stands for all. */
function integerRows(op: TtirOp, name: string): readonly (readonly number[])[] {
  const text = op.attributeText(name) ?? "";
  const [, body = "", rows = "", columns = ""] =
    /^dense<([-\d\s,[\]]*)>\s*:\s*tensor<(\d+)x(\d+)xi64>$/.exec(text) ?? [];
  const values = [...body.matchAll(/-?\d+/g)].map(([value]) => Number(value));
  const [count, width] = [Number(rows), Number(columns)];
  const all = values.length === 1 ? new Array<number>(count * width).fill(values[0] ?? 0) : values;
  if (all.length === 0 || all.length !== count * width) {
    throw op.error(`attribute '${name}' must be rows of integers`, "attribute");
  }
  return Array.from({ length: count }, (_, row) => all.slice(row * width, (row + 1) * width));
}
