// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** The interleaved policies and the fallback to L1 interleaved. */
export const INTERLEAVED_MUTATIONS: Mutations = {
  "lib/chains/interleaved_choices.ts: GreedyL1Interleaved (ttnn-optimizer-older)": [
    "if (bytes <= bestBytes« || bytes > limit→») continue;",
    "if (peak «>=→>» bestPeak) return;",
    "Math.max(peak, «used + →»next.requiredBytes)",
    "used« + next.outputBytes→»,",
    "if (order === undefined) «continue→break»;",
    "best = { inL1, precedence: [...«inDram, ...order→order, ...inDram»] };",
  ],
  "lib/chains/interleaved_choices.ts: interleaved policies (ttnn-optimizer-older)": [
    "«this.#used + own.bytes <= this.#usable ? own.bytes : 0→own.bytes»;",
    "«if (this.#remaining.get(producer) === reads) →»freed +=",
    "«context.conventions.signedL1Growth || →»growth >= 0",
    "if (next !== undefined« && added >= least→») continue;",
    "«this.#used -= this.#bytesOf(producer);→»",
    "«context.conventions.readsL1Cap ? context.options.tensorL1UsageCap : →»DEFAULT_L1_CAP",
    "own.l1 !== undefined« && this.#context.useCount(op) === 1→»;",
  ],
  "lib/chains/l1_interleaved_fallback.ts: L1 interleaved fallback (ttnn-optimizer §2.1)": [
    "«if (EXCLUDED_PRODUCERS.has(op.name) || isMatmulLikeConv2d(op)) return undefined;→»",
    "«if (EXCLUDED_USERS.has(user.name) || isMatmulLikeConv2d(user)) return undefined;→»",
    "value.«uses.length !== 1 || value.→»returned > 0 || !next.operands.includes(result)",
    "value.uses.length !== 1 || value.returned > 0« || !next.operands.includes(result)→»",
    "return «runsBesideInputs(context, user.id, userInputs, userConfig) ? config : undefined→config»;",
    '«if (op.name === "ttnn.reshape" && isDramView(context, op, inputsOf(step))) return undefined;→»',
  ],
};
