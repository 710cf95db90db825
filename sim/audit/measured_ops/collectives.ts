// SPDX-License-Identifier: Apache-2.0
import { attributesOf, DRAM, L1 } from "../op_question.ts";
import type { OpReader } from "./op_reader.ts";
import { dataTypeIn, integersIn, numberIn, textIn } from "./texts.ts";

/** Collectives between equal chips along one axis. */
export const collectiveOp: OpReader = ({ params }, chip) => {
  const name = textIn(params, "op");
  if (name !== "all_gather" && name !== "reduce_scatter") return "the collective is not named in the row";
  if (chip.chips < 2) return "the number of chips is not in the row";
  const part = integersIn(params.per_chip_input) ?? integersIn(params.in_shape) ?? integersIn(params.shape);
  const dim = numberIn(params, "dim");
  if (part === undefined || dim === undefined) return "shapes or the dimension are not in the row";
  const gathers = name === "all_gather";
  const result = part.map((extent, at) =>
    at === dim ? gathers ? extent * chip.chips : Math.ceil(extent / chip.chips) : extent
  );
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bf16";
  const place = /L1/.test(textIn(params, "memory")) ? L1 : DRAM;
  return [{
    name: `ttnn.${name}`,
    attributes: attributesOf({ cluster_axis: 0, num_links: numberIn(params, "links") }),
    inputs: [{ shape: part, dataType, place }],
    outputs: [{ shape: result, dataType, place }],
    meshShape: [chip.chips],
  }];
};
