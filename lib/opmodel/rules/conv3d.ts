// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../attribute_values.ts";
import type { Conv3dConfig } from "../../op_config/op_config.ts";
import type { OpConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { volume } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse } from "../verdict.ts";
import { missingOperand } from "./program.ts";

const SOURCE = "tt-metal:conv3d";

/** Blocks when the config names none (tt-mlir conversion default, tt-mlir:conv3d-config). */
const DEFAULT_BLOCKS = { cInBlock: 32, cOutBlock: 32, tOutBlock: 1, hOutBlock: 1, wOutBlock: 1 } as const;

/** Rule of `conv3d`: interleaved row-major activation, tiled prepared weight, row-major result. */
export function conv3dRule(): OpRule {
  return defineRule({
    costClass: "conv3d",
    roles: ["activation", "weight", "bias"],
    minOperands: 2,
    maxOperands: 3,
    strategy: { hints: "conv3d", inputs: ["any"], exploresReshards: true },
    acceptsHost: true,
    evaluate: evaluateConv3d,
  });
}

function evaluateConv3d(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const say = (rule: string, message: string) =>
    refuse("unsupported_config", `conv3d/${rule}`, `${query.op.name}: ${message}`, SOURCE);
  for (const [index, operand] of query.operands.entries()) {
    if (operand !== undefined && isSharded(operand.layout)) {
      return refuse(
        "unsupported_layout",
        "conv3d/sharded",
        `${query.op.name}: ${describeTensor(index, operand)} must be interleaved`,
        SOURCE,
      );
    }
  }
  if (query.hint !== undefined && isSharded(query.hint)) {
    return refuse(
      "unsupported_layout",
      "conv3d/sharded-output",
      `${query.op.name}: the output must be interleaved`,
      SOURCE,
    );
  }
  const own = query.config?.kind === "conv3d" ? query.config.conv3dConfig ?? {} : {};
  const blocks: Required<Omit<Conv3dConfig, "weightsDtype" | "computeWithStorageGridSize">> = {
    ...DEFAULT_BLOCKS,
    ...own,
  };
  const inChannels = readInteger(query.op.attributes, "in_channels") ?? input.shape.at(-1) ?? 1;
  const outChannels = readInteger(query.op.attributes, "out_channels") ?? 1;
  if (Object.values(blocks).some((block) => typeof block === "number" && block <= 0)) {
    return say("blocks", "blocks must be positive");
  }
  const paddedIn = Math.ceil(inChannels / 32) * 32;
  const paddedOut = Math.ceil(outChannels / 32) * 32;
  if (blocks.cInBlock % 16 !== 0 || paddedIn % blocks.cInBlock !== 0) {
    return say(
      "c-in-block",
      `c_in_block ${blocks.cInBlock} must be a multiple of 16 that divides ${paddedIn}`,
    );
  }
  if (blocks.cOutBlock % 32 !== 0 || paddedOut % blocks.cOutBlock !== 0) {
    return say(
      "c-out-block",
      `c_out_block ${blocks.cOutBlock} must be a multiple of 32 that divides ${paddedOut}`,
    );
  }
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page: "row_major" });
  if (isRefusal(output)) return output;
  const kernel = volume(readIntegers(query.op.attributes, "kernel_size") ?? [1, 1, 1]);
  const pixels = blocks.tOutBlock * blocks.hOutBlock * blocks.wOutBlock;
  const m = Math.ceil(pixels / 32);
  const k = Math.ceil(kernel * blocks.cInBlock / 32);
  const n = Math.ceil(blocks.cOutBlock / 32);
  const units = Math.ceil(volume(output.shape.slice(0, -1)) / Math.max(1, pixels)) *
    Math.ceil(paddedOut / blocks.cOutBlock);
  // Patches as rows and as tiles, weights, partial and reduced results, result as tiles and as rows.
  const tiles = 2 * m * k + k * n + 4 * m * n;
  return accept({ outputs: [output], cbBytes: tiles * 2048, cores: Math.min(context.cores, units) }, context);
}
