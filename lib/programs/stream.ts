// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { type DataType, tileBytes } from "../layout/data_type.ts";
import type { BufferKind, CircularBuffer } from "./circular_buffer.ts";
import type {
  DeviceProgram,
  ResidentProgram,
  StreamCompute,
  StreamProgram,
  StreamReader,
  StreamWriter,
} from "./program.ts";
import { circularBufferPage, type ProgramTensor } from "./program_tensor.ts";
import type { PageStream, TileWork } from "./program_work.ts";

/** A stream of units of work. Defaults: absent fields are zero, barriers one per unit. */
export interface StreamRequest {
  /** Units of work of the op; at least 1. */
  readonly units: number;
  /** Most cores; default: the worker grid. */
  readonly maxCores?: number;
  /** Fewest cores: cores without units write a part of `afterUnits` streams. */
  readonly minCores?: number;
  readonly reads: readonly PageStream[];
  readonly writes: readonly PageStream[];
  /** 1 when absent. */
  readonly parts?: number;
  readonly oneThread?: boolean;
  readonly reader?: Partial<StreamReader>;
  readonly compute?: Partial<StreamCompute>;
  readonly writer?: Partial<StreamWriter>;
  readonly flops?: number;
  readonly circularBuffers?: readonly CircularBuffer[];
}

const READER: StreamReader = {
  barriers: 1,
  copies: 0,
  mappedPieces: 0,
  broadcastFills: 0,
  copiedWords: 0,
  paddingWords: 0,
  paddingRuns: 0,
  setupBarriers: 0,
  clearedWords: 0,
  computesStrides: false,
  findsShards: false,
};

const COMPUTE: StreamCompute = { work: [], passes: undefined, isSingleBuffered: false };

const WRITER: StreamWriter = { barriers: 1, rowWaits: 0, filledWords: 0 };

/** The program of an op that streams units of work through reader, compute and writer of each core. */
export function streamProgram(request: StreamRequest, chip: ChipDescription): StreamProgram {
  const units = Math.max(1, request.units);
  const { cores } = splitWorkToCores(request.maxCores ?? workerCores(chip), Math.ceil(units));
  return {
    kind: "stream",
    cores: Math.max(1, cores, request.minCores ?? 0),
    circularBuffers: request.circularBuffers ?? [],
    reads: request.reads,
    writes: request.writes,
    flops: request.flops ?? 0,
    units,
    parts: request.parts ?? 1,
    oneThread: request.oneThread ?? false,
    reader: { ...READER, ...request.reader },
    compute: { ...COMPUTE, ...request.compute },
    writer: { ...WRITER, ...request.writer },
  };
}

/** The stream with a writer that also fills 4-byte words once (`StreamWriter.filledWords`). */
export function fillingWords(program: StreamProgram, filledWords: number): StreamProgram {
  return { ...program, writer: { ...program.writer, filledWords } };
}

/** The program of cores that process their own shards. */
export function residentProgram(
  cores: number,
  compute: readonly TileWork[],
  rest: {
    readonly flops?: number;
    readonly copiedBytes?: number;
    readonly circularBuffers?: readonly CircularBuffer[];
  },
): ResidentProgram {
  return {
    kind: "resident",
    cores,
    circularBuffers: rest.circularBuffers ?? [],
    reads: [],
    writes: [],
    flops: rest.flops ?? 0,
    compute,
    copiedBytes: rest.copiedBytes ?? 0,
  };
}

/** A buffer of pages of a tensor: tiles, or rows (of the shard). */
export function pageBuffer(
  name: string,
  pages: number,
  tensor: ProgramTensor,
  kind?: BufferKind,
): CircularBuffer {
  const bytes = pages * circularBufferPage(tensor);
  return kind === undefined ? { name, bytes } : { name, bytes, kind };
}

/** A buffer of tiles of a format. */
export function tileBuffer(name: string, tiles: number, dataType: DataType): CircularBuffer {
  return { name, bytes: tiles * tileBytes(dataType) };
}

/** Reads of a whole tensor and writes of another one. */
export function wholeTensors(
  input: ProgramTensor,
  output: ProgramTensor,
): Pick<StreamRequest, "reads" | "writes"> {
  return { reads: [wholeTensor(input)], writes: [wholeTensor(output)] };
}

/** Every byte of a tensor, page by page. */
export function wholeTensor(tensor: ProgramTensor): PageStream {
  return { tensor, bytes: tensor.bytes };
}

/** Every byte of a tensor: of L1 shards on their own cores, of other memory page by page. */
export function wherePlaced(tensor: ProgramTensor): PageStream {
  return { tensor, bytes: tensor.bytes, local: tensor.placement === "l1_sharded" };
}

/** Copies pages unchanged: as many bytes are read as written, in proportion to the operands' sizes. */
export function pageCopy(
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  how: Omit<Partial<StreamRequest>, "reads" | "writes">,
  chip: ChipDescription,
): DeviceProgram {
  const moved = outputs.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const available = inputs.reduce((sum, tensor) => sum + tensor.bytes, 0);
  return streamProgram({
    units: outputs.reduce((sum, tensor) => sum + tensor.pages, 0),
    ...how,
    reads: inputs.map((tensor) => ({ tensor, bytes: moved * tensor.bytes / Math.max(1, available) })),
    writes: outputs.map(wholeTensor),
  }, chip);
}

/**
 * `move`: copies a buffer to another address of the same memory, to close gaps. Shards stay on their core and
 * are copied by the data movement threads.
 */
export function moveProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  return input.placement === "l1_sharded" && output.placement === "l1_sharded"
    ? residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes })
    : pageCopy([input], [output], {}, chip);
}

/** Units of work per core of a program. */
export interface WorkSplit {
  /** Cores that get work. */
  readonly cores: number;
  /** Cores of the first group; the others form the second. */
  readonly coresGroup1: number;
  /** Units of each core of the first group. */
  readonly unitsPerCoreGroup1: number;
  /** Units of each core of the second group; 0 when there is none. */
  readonly unitsPerCoreGroup2: number;
}

/**
 * Splits units of work over cores (tt-metal `split_work_to_cores`): if the division leaves a remainder, cores
 * of the first group get one unit more than those of the second.
 *
 * @param cores available cores, at least 1
 * @param units units of work
 */
export function splitWorkToCores(cores: number, units: number): WorkSplit {
  const used = Math.min(cores, units);
  if (used <= 0) return { cores: 0, coresGroup1: 0, unitsPerCoreGroup1: 0, unitsPerCoreGroup2: 0 };
  const base = Math.floor(units / used);
  const rest = units - base * used;
  return rest === 0
    ? { cores: used, coresGroup1: used, unitsPerCoreGroup1: base, unitsPerCoreGroup2: 0 }
    : { cores: used, coresGroup1: rest, unitsPerCoreGroup1: base + 1, unitsPerCoreGroup2: base };
}

/** Divisors of a positive integer up to a limit, descending; found in pairs, up to the square root. */
export function divisorsUpTo(value: number, limit: number): readonly number[] {
  const [large, small]: [number[], number[]] = [[], []];
  for (let divisor = 1; divisor * divisor <= value; divisor++) {
    if (value % divisor !== 0) continue;
    small.push(divisor);
    if (divisor * divisor < value) large.push(value / divisor);
  }
  return [...large, ...small.reverse()].filter((divisor) => divisor <= limit);
}
