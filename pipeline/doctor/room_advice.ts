// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { PATTERN, TOLD } from "./expertise_row.ts";
import rows from "./room_advice.jsonl" with { type: "text" };
import { isOf, type Remedy, remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const ROW = v.strictObject({ ops: PATTERN, alone: v.exactOptional(TOLD), advice: TOLD });

/** Advice that makes the buffers of an op smaller, by families of ops with similar buffers. */
const SMALLER_BUFFERS = rows.trimEnd().split("\n").map((line) => v.parse(ROW, JSON.parse(line)));

/**
 * Remedies for an op that lacks room in L1, most promising first; the general ones where the op is not known.
 *
 * @param isOnOneCore whether its program runs on one core, so that more of them do not help
 */
export function adviceForRoom(ops: readonly string[] | undefined, isOnOneCore = false): readonly Remedy[] {
  const name = ops?.[0]?.replace(/^.*\./, "");
  const { advice = GENERAL, alone = [ONE_CORE] } =
    SMALLER_BUFFERS.find(({ ops: family }) => name !== undefined && family.test(name)) ??
      {};
  return isOnOneCore ? [...alone, ...advice.filter((one) => !isOf(one, asks.MORE_CORES))] : advice;
}

const ONE_CORE =
  remedy`its program runs on one core (few rows, or a form of the op that is not divided): shorter rows or fewer at a time (the tensor in parts, joined behind it), or what divides it (shards that cut the row, dim given, a multi-core option, tiles)${asks.NEWER}, or a newer ttnn`;

const GENERAL = [
  remedy`smaller blocks (act_block_h of a convolution, in0_block_w or out_block of a matmul)${asks.MORE_CORES}, or more cores for the op`,
];
