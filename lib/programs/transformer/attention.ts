// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { matrixCount, volume } from "../../layout/extents.ts";
import type { SdpaProgramConfig } from "../../op_config/op_config.ts";
import { attentionGroups } from "../../ops/attention_operands.ts";
import { ATTENTION_FORM } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { circularBuffer } from "../circular_buffer.ts";
import { eltwiseProgram, tileWork } from "../eltwise/eltwise_program.ts";
import { chainStep, launchChain } from "../launch_sequence.ts";
import {
  accumulatesInF32,
  computeConfigOf,
  filledPositions,
  type LaunchContext,
  operandIn,
  type OpLaunch,
  usersAtWork,
} from "../op_launch.ts";
import {
  type AttentionChunks,
  type AttentionProgram,
  inOrder,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "../program_tensor.ts";
import { fillingWords, pageBuffer, wholeTensor } from "../stream.ts";
import {
  type AttentionTensors,
  coresPerHead,
  coresPerUser,
  decodeBuffers,
  type DecodeHeads,
  decodeKeyChunk,
  DEFAULT_CHUNK,
  gridCores,
  prefillBuffers,
  tilesOf,
} from "./attention_buffers.ts";

/**
 * Keys per chunk in decode if the config leaves them open: 32 up to 128 keys, 256 up to 256, then 512; at
 * most the tiles of the destination register: 8, or 4 with f32 accumulation (published:ops-2,
 * `k_chunk_effective`).
 */
function decodeChunk(keys: number, wide: boolean): number {
  return Math.min(keys <= 128 ? 32 : keys <= 256 ? 256 : 512, wide ? 128 : 256);
}

/**
 * `scaled_dot_product_attention` over a whole sequence. Query blocks of all heads are distributed over the
 * cores; each core streams keys and values chunk by chunk, once per query block, regardless of heads that
 * share them. Causal programs distribute pairs of an early and a late block, and skip chunks beyond the
 * diagonal and outside the window; others forward chunks from core to core (published:ops-2, p100 sweep of
 * chunks, heads and lengths).
 */
export function attentionPrefillPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const { chip } = context;
  const tensors = attentionTensors(op);
  if (tensors === undefined) return unknownPrograms(op.name, "needs queries, keys and a result");
  const { query, key, mask, pages, output } = tensors;
  const config = configOf(op);
  const [queryChunk, keyChunk] = [chunkTiles(config?.qChunkSize), chunkTiles(config?.kChunkSize)];
  const [queries, keys] = [query.shape.at(-2) ?? 1, keysOf(tensors)];
  const causal = isCausal(op);
  const { sliding_window_size: window } = readAttributes(op, ATTENTION_FORM);
  const cut = { queryChunk: 32 * queryChunk, keyChunk: 32 * keyChunk, causal, window: window ?? Infinity };
  const seen = blockSteps(queries, keys, cut);
  const inPairs = causal && seen.length > 1;
  const blocks = inPairs ? 2 : 1;
  const heads = matrixCount(query.shape);
  const units = heads * Math.ceil(seen.length / blocks);
  const chunks = chunksOf(op, query, key, [Math.min(queryChunk, tilesOf(query, -2)), keyChunk], chip);
  const steps = seen.reduce((sum, count) => sum + count, 0) / Math.ceil(seen.length / blocks);
  const cores = gridCores(config, chip);
  const { reads, ...operands } = operandsOf(op);
  // Of a paged cache only the pages that the table lists.
  const share = pages === undefined ? 1 : Math.min(1, volume(pages.shape) / (key.shape[0] ?? 1));
  const program: AttentionProgram = {
    kind: "attention",
    ...operands,
    reads: reads.map((read, index) => index === 0 ? read : { ...read, bytes: share * read.bytes }),
    ...chunks,
    cores: Math.max(1, Math.min(cores, units)),
    units,
    blocks,
    steps,
    forwards: !causal,
    maskBytes: mask === undefined ? 0 : queryChunk * keyChunk * bytesPerTile(mask),
    flops: units * steps * scoreFlops(chunks),
    circularBuffers: prefillBuffers(tensors, {
      chunks: [32 * queryChunk, 32 * keyChunk],
      causal,
      windowed: window !== undefined,
      wide: accumulatesInF32(op, chip),
      cores,
    }, chip),
  };
  return mask === undefined ? inOrder(program) : withScaledMask(mask, output, program, context);
}

/** The mask is divided by the scale first, into a temporary tensor. */
function withScaledMask(
  mask: ProgramTensor,
  output: ProgramTensor,
  program: AttentionProgram,
  { chip }: LaunchContext,
): OpPrograms {
  const scaled = { ...mask };
  const buffers = [
    pageBuffer("in0", 2, mask, "circular"),
    circularBuffer("scalar", tileBytes(mask.dataType === "f32" ? "f32" : "bf16")),
    pageBuffer("out", 2, mask, "circular"),
  ];
  const product = eltwiseProgram([mask], scaled, tileWork("none", [mask]), buffers, chip);
  return launchChain([
    chainStep(scaled, fillingWords(product, Math.ceil(bytesPerTile(mask) / 4))),
    chainStep(output, program, [scaled]),
  ], chip);
}

/**
 * Whether the op masks keys after the query's position: chunks of a prompt always, others if their attribute says so;
 * ops without one attend to all keys.
 */
export function isCausal(op: Pick<OpLaunch, "name" | "attributes">): boolean {
  const { attributes: form, family, isPaged } = definitionOf(op.name);
  if (family === "sdpa" && isPaged) return true;
  return form !== undefined && "is_causal" in form && readAttributes(op, ATTENTION_FORM).is_causal;
}

/** The operands by their groups; `undefined` without queries, keys or a result. */
function attentionTensors(op: OpLaunch): AttentionTensors | undefined {
  const [query, key, value] = [0, 1, 2].map((group) => operandIn(op, group));
  const [output] = op.outputs;
  if (query === undefined || key === undefined || output === undefined) return undefined;
  const groups = attentionGroups(op.name);
  const tensorOf = (group: number | undefined) => group === undefined ? undefined : operandIn(op, group);
  return {
    query,
    key,
    value,
    mask: tensorOf(groups.mask),
    positions: tensorOf(groups.positions),
    pages: tensorOf(groups.pages),
    start: tensorOf(groups.start),
    sink: tensorOf(groups.sink),
    output,
  };
}

/** Keys of one user: all that his pages hold, or the rows of the tensor. */
function keysOf({ key, pages }: AttentionTensors): number {
  return (key.shape.at(-2) ?? 1) * (pages?.shape.at(-1) ?? 1);
}

/** Chunking of a sequence, in elements. */
interface SequenceCut {
  readonly queryChunk: number;
  readonly keyChunk: number;
  readonly causal: boolean;
  /** Most keys that a query sees; `Infinity` without a sliding window. */
  readonly window: number;
}

/** Number of key chunks per query block of one head; the last query attends to the last key. */
function blockSteps(queries: number, keys: number, cut: SequenceCut): readonly number[] {
  const { queryChunk, keyChunk, causal, window } = cut;
  return Array.from({ length: Math.ceil(queries / queryChunk) }, (_, block) => {
    const first = keys - queries + block * queryChunk;
    const end = causal ? Math.min(keys, first + queryChunk) : keys;
    const begin = causal ? Math.max(0, first + 1 - window) : 0;
    return Math.max(1, Math.ceil(end / keyChunk) - Math.floor(begin / keyChunk));
  });
}

/**
 * `scaled_dot_product_attention_decode`: one query row per user. Cores are divided evenly among users and key
 * heads; the cores of one head divide its cache by chunks. The cache is read once per 32 query heads that
 * share a key head.
 */
export function attentionDecodePrograms(op: OpLaunch, { chip, assumed }: LaunchContext): OpPrograms {
  const tensors = attentionTensors(op);
  if (tensors === undefined) return unknownPrograms(op.name, "needs queries, keys and a result");
  const { query, key } = tensors;
  const isPaged = tensors.pages !== undefined;
  const config = configOf(op);
  const users = Math.max(1, query.shape.at(-3) ?? 1);
  const heads = Math.max(1, key.shape.at(-3) ?? 1);
  // The pages of a paged cache are divided equally among the users.
  const keys = Math.ceil(matrixCount(key.shape) / heads * (key.shape.at(-2) ?? 1) / users);
  // Causal attention reads each user's cache up to its position, other attention in full, regardless of the mask.
  const byPosition = isCausal(op);
  const readKeys = byPosition ? filledPositions(assumed, keys) : keys;
  const asked = config?.kChunkSize ?? 0;
  const wide = accumulatesInF32(op, chip);
  const chunkOf = (length: number): number => chunkTiles(asked === 0 ? decodeChunk(length, wide) : asked);
  const keyChunk = chunkOf(readKeys);
  // Query heads that share keys are processed 32 at a time; each group reads the keys again.
  const groups = heads * Math.max(1, Math.ceil((query.shape.at(-2) ?? 1) / heads / 32));
  const { cores, perGroup, groupsPerCore } = decodeSplit({ users, keyHeads: groups, isPaged }, config, chip);
  const count = Math.ceil(readKeys / (32 * keyChunk));
  const chunks = chunksOf(op, query, key, [1, keyChunk], chip);
  const working = byPosition ? usersAtWork(assumed, users) : users;
  const streamed = working * groups * count;
  const { reads: [rows, ...caches], ...operands } = operandsOf(op);
  // Only the parts of the caches that active users read.
  const share = readKeys / keys * (working / users);
  const read = caches.map((cache) => ({ ...cache, bytes: share * cache.bytes }));
  return inOrder({
    kind: "attention_decode",
    ...operands,
    reads: rows === undefined ? read : [rows, ...read],
    ...chunks,
    cores,
    groups: groupsPerCore,
    sharers: Math.min(perGroup, count),
    steps: Math.ceil(count / perGroup),
    streamedBytes: streamed * keyChunk * chunks.streamedTiles * bytesPerTile(key),
    flops: streamed * scoreFlops(chunks),
    byPosition,
    // Buffers are allocated for the longest run.
    circularBuffers: decodeBuffers(tensors, {
      keyChunk: decodeKeyChunk(config, keys, isPaged),
      causal: byPosition,
      windowed: readAttributes(op, ATTENTION_FORM).sliding_window_size !== undefined,
      sharers: coresPerHead(config, { users, keyHeads: heads, isPaged }, chip),
    }, chip),
  });
}

/** Even division of cores among users and head groups (tt-metal sdpa_decode_program_factory). */
function decodeSplit(
  work: DecodeHeads,
  config: SdpaProgramConfig | undefined,
  chip: ChipDescription,
): { readonly cores: number; readonly perGroup: number; readonly groupsPerCore: number } {
  const { users, keyHeads: groups } = work;
  const workers = gridCores(config, chip);
  const perGroup = coresPerHead(config, work, chip);
  const atOnce = Math.max(1, Math.ceil(groups / Math.max(1, coresPerUser(config, work, chip))));
  const cores = Math.max(1, Math.min(workers, Math.ceil(perGroup * groups * users / atOnce)));
  // With more users than cores, users run one after another.
  return { cores, perGroup, groupsPerCore: atOnce * Math.max(1, Math.ceil(users / workers)) };
}

function chunksOf(
  op: OpLaunch,
  query: ProgramTensor,
  key: ProgramTensor,
  [queryTiles, keyTiles]: readonly [number, number],
  chip: ChipDescription,
): AttentionChunks {
  const [, , values] = op.inputs;
  const [result] = op.outputs;
  const headTiles = tilesOf(query, -1);
  const valueTiles = result === undefined ? headTiles : tilesOf(result, -1);
  const columns = configOf(op)?.computeWithStorageGridSize[0] ?? 0;
  return {
    queryTiles,
    keyTiles,
    headTiles,
    valueTiles,
    streamedTiles: headTiles + (values === undefined ? 0 : valueTiles),
    columnShare: columns > 0 ? Math.min(1, columns / chip.workerGrid.columns) : 1,
    keyType: key.dataType,
    fidelity: computeConfigOf(op, chip)?.mathFidelity ?? "hifi2",
    wide: accumulatesInF32(op, chip),
  };
}

/** Floating point operations of one step. */
function scoreFlops({ queryTiles, keyTiles, headTiles, valueTiles }: AttentionChunks): number {
  return 2 * queryTiles * keyTiles * (headTiles + valueTiles) * 32 ** 3;
}

/** Queries, keys and values, and the result. */
function operandsOf(op: OpLaunch) {
  return {
    reads: op.inputs.slice(0, 3).filter(isPresent).map(wholeTensor),
    writes: op.outputs.slice(0, 1).filter(isPresent).map(wholeTensor),
  };
}

function configOf(op: OpLaunch): SdpaProgramConfig | undefined {
  return op.config?.kind === "sdpa" ? op.config.programConfig : undefined;
}

function chunkTiles(elements: number | undefined): number {
  return Math.max(1, Math.ceil((elements === undefined || elements === 0 ? DEFAULT_CHUNK : elements) / 32));
}
