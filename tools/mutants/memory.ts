// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** Liveness and L1 by address. */
export const MEMORY_MUTATIONS: Mutations = {
  "lib/graph/liveness.ts: liveness (ttnn-optimizer §5.6.2)": [
    "«for (const tensor of liveOut) lastUse[tensor] = steps.length;→»",
    "«if (aliasOf !== undefined) owner[tensor] = owner[aliasOf] ?? aliasOf;→»",
    "owner[tensor] = «owner[aliasOf] ?? →»aliasOf;",
    "      «lastUse[tensor] = position;\n      →»if (aliasOf",
    "[buffer] = «Math.max(bufferEnd[buffer] ?? -2, lastUse[tensor] ?? -2)→lastUse[tensor] ?? -2»;",
    "if («definedAt[tensor] === -2→position < 0») {",
    "    lastUse[tensor] = «-1→steps.length»;\n  }",
    "next[tensor] = «first[group] ?? →»-1;",
  ],
  "lib/memory/bank_allocator.ts: L1 allocator (ttnn-optimizer §5.6.2)": [
    "this.#free.«findLast→find»(fits)",
    "isTopDown ? «block.end - size→block.start»",
    "«Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment→bytes»",
    "Math.max(1, Math.«ceil→floor»(bytes / this.#alignment)) * this.#alignment",
    "const previous = «below.at(-1)?.end === freed.start ? below.pop() : →»undefined;",
    "const next = «above[0]?.start === freed.end ? above.shift() : →»undefined;",
    [
      "block.start «<→<=» block.end",
      "an empty block holds nothing, and joins its neighbour when that is freed",
    ],
    "return «first?.start === this.#base ? first.end : →»this.#base;",
    "this.#base = «roundUp(base, alignment)→Math.floor(base / alignment) * alignment»;",
    "this.#end = Math.max(this.#base, Math.«floor→ceil»(end / alignment) * alignment);",
  ],
  "lib/memory/l1_timeline.ts: L1 by address (ttnn-optimizer §5.6.2)": [
    "«if (aliasOf === undefined) →»moments.place(tensor, l1Bytes);",
    "memory.free(«owner[tensor] ?? →»tensor);",
    "if («bareBytes > alone→false») {",
    "«freeAll(state.memory, dying, position);→»",
    '«if (missing > 0) return { kind: "no_space", askedBytes: homelessBytes, shortBytes: missing };→»',
    "if (extent > size«→ + 1») return",
    "if (extent > budget«→ + 1») return",
    " excess = «isRefused ? 0 : ownExcess(step, region→Math.max(0, peakBytes(step) - region.budget»);",
    'failures.every((failure) => failure.kind === "«over_budget→no_space»")',
  ],
  "lib/memory/l1_moments.ts: L1 by address (ttnn-optimizer §5.6.2)": [
    "const depth = «top - this.#memory.lowestAddress→this.#memory.bytes»;",
    "const extent = depth« + circularBufferBytes→»;",
  ],
  "lib/memory/l1_schedule.ts: L1 by address (ttnn-optimizer §5.6.2)": [
    "const top = Math.max(base, chip.l1Size - «chip.l1SmallSize - →»reserved);",
  ],
};
