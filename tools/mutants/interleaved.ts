// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** The interleaved policies and the fallback to L1 interleaved. */
export const INTERLEAVED_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "GreedyL1Interleaved (ttnn-optimizer-older)",
    file: "lib/chains/interleaved_choices.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["if (bytes <= bestBytes || bytes > limit) continue;", "if (bytes <= bestBytes) continue;"],
      ["if (peak >= bestPeak) return;", "if (peak > bestPeak) return;"],
      ["Math.max(peak, used + next.requiredBytes)", "Math.max(peak, next.requiredBytes)"],
      ["used + next.outputBytes,", "used,"],
      ["if (order === undefined) continue;", "if (order === undefined) break;"],
      [
        "best = { inL1, precedence: [...inDram, ...order] };",
        "best = { inL1, precedence: [...order, ...inDram] };",
      ],
    ],
  },
  {
    algorithm: "interleaved policies (ttnn-optimizer-older)",
    file: "lib/chains/interleaved_choices.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["this.#used + own.bytes <= this.#usable ? own.bytes : 0;", "own.bytes;"],
      ["if (this.#remaining.get(producer) === reads) freed +=", "freed +="],
      ["context.conventions.signedL1Growth || growth >= 0", "growth >= 0"],
      ["if (next !== undefined && added >= least) continue;", "if (next !== undefined) continue;"],
      ["this.#used -= this.#bytesOf(producer);", ""],
      [
        "context.conventions.readsL1Cap ? context.options.tensorL1UsageCap : DEFAULT_L1_CAP",
        "DEFAULT_L1_CAP",
      ],
      ["own.l1 !== undefined && this.#context.useCount(op) === 1;", "own.l1 !== undefined;"],
    ],
  },
  {
    algorithm: "L1 interleaved fallback (ttnn-optimizer §2.1)",
    file: "lib/chains/l1_interleaved_fallback.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["if (EXCLUDED_PRODUCERS.has(op.name) || isMatmulLikeConv2d(op)) return undefined;", ""],
      ["if (EXCLUDED_USERS.has(user.name) || isMatmulLikeConv2d(user)) return undefined;", ""],
      [
        "value.uses.length !== 1 || value.returned > 0 || !next.operands.includes(result)",
        "value.returned > 0 || !next.operands.includes(result)",
      ],
      [
        "value.uses.length !== 1 || value.returned > 0 || !next.operands.includes(result)",
        "value.uses.length !== 1 || value.returned > 0",
      ],
      [
        "return runsBesideInputs(context, user.id, userInputs, userConfig) ? config : undefined;",
        "return config;",
      ],
      ['if (op.name === "ttnn.reshape" && isDramView(context, op, inputsOf(step))) return undefined;', ""],
    ],
  },
];
