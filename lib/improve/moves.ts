// SPDX-License-Identifier: Apache-2.0
import type { ImprovementMove } from "./move.ts";
import { changeResult } from "./moves/change_result.ts";
import { dropCopy } from "./moves/drop_copy.ts";
import { splitCopy } from "./moves/split_copy.ts";

/** All moves, in the order in which they are tried. */
export const IMPROVEMENT_MOVES: readonly ImprovementMove[] = [
  splitCopy,
  dropCopy,
  changeResult,
];
