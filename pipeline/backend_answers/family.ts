// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";

/** Names of matmul program configs, and the part of a family's name that they give. */
const PROGRAM_CONFIGS: readonly (readonly [part: string, name: string])[] = [
  ["dram_sharded_program_config", "dram_sharded"],
  ["multi_cast_1d_program_config", "1d"],
  ["multi_cast_program_config", "2d"],
  ["reuse_program_config", "reuse"],
];

/**
 * The family that an answer counts for: the op's rule, and for products the kind of program config, because each is
 * checked by rules of its own.
 */
export function familyOf(
  { op, attrs, opConfig }: Pick<ConstraintsRequest, "op" | "attrs" | "opConfig">,
): string {
  const { family } = definitionOf(op);
  if (family !== "matmul") return family;
  const config = opConfig["matmulProgramConfig"] ?? attrs["matmul_program_config"] ?? "";
  const kind = PROGRAM_CONFIGS.find(([part]) => config.includes(part))?.[1] ?? "auto";
  return `${op.replace("ttnn.", "")}_${kind}`;
}
