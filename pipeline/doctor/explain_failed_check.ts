// SPDX-License-Identifier: Apache-2.0
import type { FailureExplanation } from "./explain_failure.ts";
import type { CheckSubject, FailedCheck } from "./failed_checks.ts";

interface CheckExplanation {
  readonly meaning: readonly string[];
  readonly advice: readonly string[];
}

const TILE = 32;

/** Explains a failed check; its own words come first. */
export function explainFailedCheck(failure: FailedCheck): FailureExplanation {
  const { file, words } = failure;
  const { meaning, advice } = EXPLANATIONS[failure.subject](failure);
  return {
    failure,
    meaning: [
      `The backend says${file === undefined ? "" : ` (${file})`}: ${words.replace(/[.!]+$/, "")}`,
      ...meaning,
    ],
    advice: [...advice, FIND_OP],
    circularBufferBytes: undefined,
    tensorBytes: undefined,
    neededBytes: undefined,
  };
}

const FIND_OP =
  "give the program as well: 'tilewright doctor FILE --message TEXT' finds the op, and 'tilewright optimize FILE' plans it anew";

const EXPLANATIONS: Readonly<Record<CheckSubject, (check: FailedCheck) => CheckExplanation>> = {
  shard_tiles: ({ numbers: [height, width] }) => ({
    meaning: ["A tensor in tiles is cut at the edges of tiles only, also its last shard"],
    advice: [
      height === undefined || width === undefined
        ? "make both sides of the shard multiples of 32"
        : `shards of ${roundUp(height)}x${
          roundUp(width)
        } instead of ${height}x${width}: the last core gets less`,
      "or keep the tensor in rows, where the op takes them",
    ],
  }),
  shard_extent: ({ numbers: [is, wanted] }) => ({
    meaning: [
      "Height shards are as wide as the padded tensor and width shards as high; only block shards cut both",
    ],
    advice: [
      is === undefined || wanted === undefined
        ? "give the shard that side of the padded tensor"
        : `a shard of ${wanted} where it is ${is}, or block shards`,
      "'tilewright layout' prints the shards that a tensor can have",
    ],
  }),
  shard_count: ({ numbers: [shards, places] }) => ({
    meaning: ["Every shard needs a core (in DRAM, a bank) of its own"],
    advice: [
      shards === undefined || places === undefined
        ? "larger shards"
        : `larger shards: ${shards} of them have to become ${places} or fewer`,
      "for block shards, count rows and columns of the grid apart, and mind the orientation",
    ],
  }),
  cores: ({ numbers: [wanted, there, ...more] }) => ({
    meaning: [
      `The op is cut into more parts than there are cores${
        wanted === undefined || there === undefined || more.length > 0 ? "" : `: ${wanted}, of ${there}`
      }; boards differ (8x8 on n150, 10x11 on p150)`,
    ],
    advice: [
      "a grid that the board has: compile with the system description of the board that runs it",
      "larger per_core_M and per_core_N of a matmul, or no program config at all: then the backend chooses",
    ],
  }),
  slices: ({ numbers }) => ({
    meaning: [
      "The backend cuts what does not fit into slices through DRAM, and no number of slices makes one fit",
      ...(numbers.length === 0 ? [] : [`It tried up to ${Math.max(...numbers.slice(0, 2))} of them`]),
    ],
    advice: [
      "slices along the other dimension (conv2d_slice_config), or a smaller act_block_h_override",
      "one slice is a row or a column of the image: where that is too large, fewer channels per op (split them, add the results) help, more cores and spilling do not",
    ],
  }),
  trace_region: ({ numbers }) => ({
    meaning: ["A captured trace is kept in a part of DRAM that is reserved when the device is opened"],
    advice: [
      numbers.length === 0
        ? "open the device with a larger trace_region_size"
        : `open the device with a trace_region_size of ${Math.max(...numbers)} bytes and more`,
      "or run without a trace: layouts do not change what a trace needs, the number of ops does",
    ],
  }),
  kernel_size: ({ numbers: [size, buffer] }) => ({
    meaning: [
      "Kernels of a program, their arguments, semaphores and circular buffer configs lie in a part of L1 that is fixed when the device is opened; layouts hardly change how long they are",
    ],
    advice: [
      size === undefined || buffer === undefined
        ? "a smaller worker_l1_size when the device is opened: what it leaves of L1 is the room for kernels"
        : `open the device with a worker_l1_size that is ${
          size - buffer
        } bytes smaller: what it leaves of L1 is the room for kernels`,
      "profiler zones and watcher code are part of the kernels: run without them, or with fewer zones",
    ],
  }),
  runtime_arguments: ({ numbers: [first, ...more] }) => ({
    meaning: [
      `A kernel takes at most ${
        more.at(-1) ?? 341
      } arguments per core, and ops that list an address for each operand, shard or page need more with every one of them`,
    ],
    advice: [
      `fewer operands per op${
        first === undefined ? "" : ` than need ${first} arguments`
      }: a concat of many tensors as a concat of concats`,
      "fewer shards per tensor: a smaller grid, or interleaved operands, whose pages need no list",
    ],
  }),
  semaphores: () => ({
    meaning: [
      "A core has 16 semaphores, and programs that run at once share them: fused ops and collectives take several each",
    ],
    advice: [
      "run what was fused as ops of their own, or collectives on fewer links",
      "layouts do not change how many an op takes: an op from DRAM to DRAM takes as many",
    ],
  }),
  fallback: ({ ops }) => ({
    meaning: [
      `The compiler asked the backend about ${
        ops?.[0] ?? "an op"
      } as it was decided, got a refusal, and looked for layouts that are taken: the op runs, slower than was planned`,
    ],
    advice: [
      "'tilewright lint FILE' and 'tilewright simulate FILE' name the rule that is broken",
      "an override that keeps the op out of the refused layout saves the search for another one",
    ],
  }),
  other: ({ ops }) => ({
    meaning: [
      ops === undefined
        ? "A check of the backend that many ops share"
        : `A check of ${ops.join(" or ")}: layouts, formats or config are none that it takes`,
    ],
    advice: [
      "run the op from DRAM interleaved to DRAM interleaved, in tiles of bf16: nearly every op takes that",
      ...(ops === undefined ? [] : [
        `'tilewright price ${
          ops[0]?.replace("ttnn.", "")
        } SHAPE…' lists the layouts that it takes, and why others are refused`,
      ]),
    ],
  }),
};

function roundUp(extent: number): number {
  return Math.ceil(extent / TILE) * TILE;
}
