// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { coreCount } from "../../lib/layout/core_range.ts";
import { around, bytesInWords } from "./bytes_of_tensor.ts";
import { opsInWords } from "./check_subject.ts";
import { chipsOfL1, OTHER_SUBJECT } from "./check_subjects.ts";
import { explainFailedCheck, giveProgram } from "./explain_failed_check.ts";
import type { FailedOp } from "./failed_op.ts";
import { type NearReport, NEWER, reportsNear } from "./known_reports/near_reports.ts";
import { helpfulIn, isOf, led, type Remedy, remedy, textOf, withoutKinds } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";
import { adviceForRoom } from "./room_advice.ts";
import type {
  BankFull,
  CircularBufferClash,
  CircularBuffersTooLarge,
  RuntimeFailure,
} from "./runtime_log.ts";

/** An explanation with remedies by what they ask for. */
export type ExplainedFailure = Omit<FailureExplanation, "advice" | "isOfUnknownChip"> & {
  readonly advice: readonly Remedy[];
  /** Whether remedies follow from the message's own rule and numbers. */
  readonly isByRule?: boolean;
};

/** A message of the runtime, explained. */
export interface FailureExplanation {
  readonly failure: RuntimeFailure;
  /** Title of the finding. */
  readonly title: string;
  /** The meaning of the failure, one sentence per entry. */
  readonly meaning: readonly string[];
  /** General advice, most promising first; the last may ask for the program. */
  readonly advice: readonly string[];
  /** Public reports of the same failure, nearest first. */
  readonly reports?: readonly NearReport[];
  /** Bytes per core of circular buffers; `undefined` if unknown. */
  readonly circularBufferBytes?: number | undefined;
  /** Bytes from lowest tensor to top of L1; allocated in a full bank. */
  readonly tensorBytes?: number | undefined;
  /** Missing bytes per core or bank. */
  readonly neededBytes?: number | undefined;
  /** Whether it is of no chip that a device describes, so that figures of the given one do not apply. */
  readonly isOfUnknownChip: boolean;
}

/** Words of a program that tt-mlir compiled. */
const COMPILED_PROGRAM =
  /\btt-(?:xla|mlir|torch|forge)\b|\bpjrt|StatusOr|RuntimeTTNN|tt::runtime::|optimi[sz]\w+[-_ ]level|torch_xla|\.ttnn\b|\bbenchmark/i;
const LEVEL_1 =
  remedy`${asks.LEVEL_1}in a compiled program optimization-level=1, which shards nothing${asks.NEWER}, or a newer tt-mlir, whose spill pass leaves room for buffers`;
const WITHOUT_SHARDS =
  remedy`${asks.LEVEL_1}in a compiled program optimization-level=1, which shards nothing${asks.NEWER}, or a newer tt-mlir, whose layouts the op takes`;

/** Bytes at the top of L1 that L1_SMALL and a few tables may fill by themselves. */
const SMALL_REGION = 128 * 1024;

/** Share of usable L1 from which buffers or tensors are the main cause. */
const LARGE_SHARE = 0.5;

const MORE_WITH_FILE = giveProgram("'tilewright doctor FILE --log LOG' finds the op and prices each remedy");

/**
 * Explains a message of the runtime for a chip.
 *
 * @param text what it stands in: remedies that ask for what the text says is so are left out
 * @param program the program that is given, with the op at which it fails where that is found: then none asks for it
 */
export function explainFailure(
  failure: RuntimeFailure,
  chip: ChipDescription,
  text = "",
  program?: { readonly op: string | undefined },
): FailureExplanation {
  const explained = explainedFailure(failure, chip, text);
  const reports = reportsNear({
    ...failure,
    ops: failure.ops ?? (program?.op === undefined ? undefined : [program.op]),
  }, text);
  const isSharded = failure.kind === "failed_check" && /^shard_/.test(failure.subject) &&
    !explained.advice.some((one) => isOf(one, asks.LEVEL_1));
  const isCompiled = COMPILED_PROGRAM.test(text) && (failure.kind === "circular_buffer_clash" || isSharded);
  const compiled = !isCompiled ? [] : isSharded ? [WITHOUT_SHARDS] : [LEVEL_1];
  const known = { ...explained, advice: beforeProgram(explained.advice, compiled) };
  const advice = helpfulIn(withReported(known, reports), text);
  const open = program !== undefined ? advice.filter((one) => !isOf(one, asks.GIVE_PROGRAM)) : advice;
  const { isByRule: _, ...told } = explained;
  return { ...told, advice: open.map(textOf), reports, isOfUnknownChip: isOfUnknownChip(failure, text) };
}

/**
 * Advice with what helped where the failure was reported: first where the same check of the called op was and the message itself does not
 * say what would help, else behind our own, as are other versions.
 */
function withReported(
  { advice, failure, isByRule = false }: ExplainedFailure,
  reports: readonly NearReport[],
): readonly Remedy[] {
  const helped = reports.filter(({ nearness }) => !/another op|no op/.test(nearness))
    .flatMap(({ remedies, thread }) =>
      remedies.filter((one) => !saysAll(advice, one)).map((one): Remedy => {
        const kinds = OF_WORDS.flatMap(([words, kind]) => words.test(one) ? [kind] : []);
        const text = one.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
        return { alternatives: [{ kinds, text: `${text} (${thread})` }] };
      })
    );
  const newer = helped.filter((one) => NEWER.test(textOf(one)));
  const done = helped.filter((one) => !NEWER.test(textOf(one)));
  // Another library or package is missing for another reason.
  const missing = failure.kind === "failed_check" && failure.subject === "installation"
    ? /'[\w.]+'|[\w-]+\.so\b/.exec(failure.words)?.[0] ?? ""
    : "";
  const isSimilar = failure.kind !== "failed_check" ||
    reports.some(({ nearness, ops, message = "" }) =>
      !nearness.startsWith("the same check") ||
      failure.within !== undefined && !ops.includes(failure.within) ||
      !message.includes(missing)
    );
  if (isByRule || isSimilar) {
    return beforeProgram(advice, [...done, ...newer]);
  }
  const isOther = failure.subject === OTHER_SUBJECT.name && helped.length > 0;
  return beforeProgram([...done, ...advice.filter((one) => !isOther || !isOf(one, asks.CALL_ALONE))], newer);
}

/** Kinds of remedies by their words, of those that are not written with kinds. */
const OF_WORDS: readonly (readonly [words: RegExp, kind: asks.RemedyKind])[] = [
  [/optimi[sz]ation[- _]level\W{0,3}0|without the optimi[sz]er/i, asks.LEVEL_0],
  [/optimi[sz]ation[- _]level\W{0,3}1/i, asks.LEVEL_1],
  [/\bnum_links ?= ?1\b/, asks.FEWER_LINKS],
  [/\bto HiFi4\b|^Use HiFi4\b/i, asks.HIFI4],
  [/^(?:Leave (?:out|off)|Pass no|Give no|Drop) the program[_ ]config/i, asks.NO_PROGRAM_CONFIG],
  [/^(?:Convert|Move|Give|Keep|Put)\b.*\bto (?:row[- ]major|ROW_MAJOR)/i, asks.ROWS],
  [/^(?:Convert|Give|Keep|Put)\b.*\b(?:to|in) (?:tiles?|TILE)\b/i, asks.TILES],
  [/^(?:Move|Convert|Keep|Put|Place)\b.*\b(?:DRAM|interleaved)\b/i, asks.DRAM],
  [/^(?:Reset|Run tt-smi -r)\b/, asks.RESET],
];

/** Whether one remedy has all names and numbers of another one, and most of its words. */
function saysAll(advice: readonly Remedy[], remedy: string): boolean {
  const words = remedy.match(/[\w.]{4,}/g) ?? [];
  return advice.map(textOf).some((one) =>
    words.filter((word) => one.includes(word)).length >= words.length * MOST_WORDS
  );
}

/** Share of a remedy's words from which another one says the same. */
const MOST_WORDS = 0.8;

function explainedFailure(failure: RuntimeFailure, chip: ChipDescription, text: string): ExplainedFailure {
  const explained = explain(failure, chip, text);
  const place = placeOf(failure, explained.meaning);
  const meaning = explained.meaning.map((sentence) =>
    sentence.replace(/^an? /, (article) => `A${article.slice(1)}`)
  );
  const older = isOfGrayskull(failure, text) ? [GRAYSKULL] : [];
  const told = { ...explained, meaning: [...(place === undefined ? [] : [place]), ...meaning, ...older] };
  return failure.askedBy === undefined ? told : {
    ...told,
    meaning: [...told.meaning, asked(failure.askedBy)],
    advice: beforeProgram(told.advice, [isOfCall(failure) ? COMPILED : OTHER_LAYOUTS]),
  };
}

/** Advice with more, before what asks for the program. */
function beforeProgram(advice: readonly Remedy[], more: readonly Remedy[]): readonly Remedy[] {
  const at = advice.findIndex((one) => isOf(one, asks.GIVE_PROGRAM));
  return advice.toSpliced(at < 0 ? advice.length : at, 0, ...more);
}

/** What is said of a refusal that tt-mlir got while it compiled, and what helps there. */
const asked = (pass: string): string => `tt-mlir asked the backend about it while it compiled (${pass})`;
const COMPILED = "a newer tt-mlir, whose workarounds give such ops what they ask for";
const OTHER_LAYOUTS =
  remedy`${asks.NEWER}${COMPILED}${asks.LEVEL_1}, or optimization-level=1, which shards nothing${asks.LEVEL_0}${asks.DRAM}, or optimization-level=0, which keeps everything in DRAM interleaved and asks about nothing`;

/** Whether a check is about extents or arguments, which are the same in every layout. */
function isOfCall(failure: RuntimeFailure): boolean {
  return failure.kind === "failed_check" &&
    ["divisible", "shapes", "rank", "arguments", "data_type", "no_dimension"].includes(failure.subject) &&
    !/shard|grid|core|block|memory|layout|align/i.test(`${failure.condition ?? ""} ${failure.words}`);
}

/** A sentence that names the failed op; `undefined` if the op is unknown, or its meaning names it already. */
function placeOf(
  { ops, within, location, isGuess }: RuntimeFailure,
  meaning: readonly string[],
): string | undefined {
  const [op] = ops ?? [];
  const isPlain = within === undefined && location === undefined && isGuess === undefined;
  if (op === undefined && location !== undefined) return `The op is the one at loc("${location}")`;
  // A compiler names what it cannot lower.
  const isNamed = isPlain && meaning.join().includes(op ?? "") ||
    isGuess && meaning.join().includes("failed to legalize operation");
  if (op === undefined || isNamed) {
    return undefined;
  }
  return `${isGuess ? "By the text around the message, the op may be" : "The op is"} ${
    opsInWords({ ops }, op).replace(/^an op like/, "one like")
  }${within === undefined ? "" : `, which ${within} runs`}${
    location === undefined ? "" : `, at loc("${location}")`
  }`;
}

function explain(failure: RuntimeFailure, chip: ChipDescription, text: string): ExplainedFailure {
  switch (failure.kind) {
    case "circular_buffer_clash":
      return explainClash(failure, chip, text);
    case "circular_buffers_too_large":
      return explainTooLarge(failure, chip);
    case "bank_full":
      return explainBankFull(failure, chip, text);
    case "failed_check":
      return explainFailedCheck(failure);
  }
}

/** Cores from which on a program has the whole grid of a board (7x8 of a harvested Wormhole): there are no more. */
const WHOLE_GRID = 56;

/** Remedies for a program on some cores, or a tensor on some banks, without those that ask for more where there are none. */
function onGrid(cores: number, remedies: readonly Remedy[]): readonly Remedy[] {
  return cores < WHOLE_GRID ? remedies : withoutKinds(remedies, (kind) => kind === asks.MORE_CORES);
}

/** The op that a program has: the one that was called, not what it runs within it. */
function opsOf({ ops, within }: FailedOp): readonly string[] | undefined {
  return within === undefined ? ops : [within];
}

function explainClash(failure: CircularBufferClash, chip: ChipDescription, text: string): ExplainedFailure {
  const circularBufferBytes = Math.max(0, failure.circularBufferEnd - chip.l1UnreservedBase);
  const tensorBytes = Math.max(0, chip.l1Size - failure.tensorAddress);
  const usable = chip.l1Size - chip.l1UnreservedBase;
  const cores = coreCount(failure.cores);
  const meaning = [
    `The circular buffers of one op end at ${count(failure.circularBufferEnd)}, ${
      count(failure.overlapBytes)
    } bytes above the lowest tensor in L1 (${count(failure.tensorAddress)})` +
    (cores === 0 ? "" : `, on ${cores} ${cores === 1 ? "core" : "cores"}`),
    isOfUnknownChip(failure, text)
      ? []
      : `Buffers need ${count(circularBufferBytes)} bytes per core, tensors lie in the upper ${
        count(tensorBytes)
      }; together ${count(circularBufferBytes + tensorBytes)} of ${count(usable)} that are usable`,
  ].flat();
  return {
    failure,
    title: "Circular buffers clash with a tensor",
    meaning,
    advice: [
      ...onGrid(cores, adviceOnClash(failure, circularBufferBytes, tensorBytes, usable)),
      MORE_WITH_FILE,
    ],
    circularBufferBytes,
    tensorBytes,
    neededBytes: failure.overlapBytes,
  };
}

/** Advice by the larger of buffers and tensors; bytes per core. */
function adviceOnClash(
  { overlapBytes, ...failed }: CircularBufferClash,
  circularBufferBytes: number,
  tensorBytes: number,
  usable: number,
): readonly Remedy[] {
  if (Math.max(circularBufferBytes, tensorBytes) < usable * LARGE_SHARE) {
    return [
      "neither side is large, so L1 is fragmented or reserved (L1_SMALL, persistent results): free what lies lowest",
    ];
  }
  const ops = opsOf(failed);
  if (circularBufferBytes > tensorBytes) {
    return [
      adviceForRoom(ops, coreCount(failed.cores) === 1).map((one, index) =>
        index > 0 ? one : led("the buffers are the larger part: ", one)
      ),
      remedy`${asks.DRAM}move the lowest tensors to DRAM before the op`,
      tensorBytes > SMALL_REGION
        ? []
        : `or open the device with an l1_small_size that is ${
          count(overlapBytes)
        } bytes smaller or more: it is reserved at the top of L1, where all else begins below it`,
    ].flat();
  }
  return [
    remedy`${asks.DRAM}tensors fill L1: ${
      count(overlapBytes)
    } bytes per core of them have to go to DRAM before the op, best those that are needed last`,
    /conv|pool/.test(ops?.[0] ?? "")
      ? adviceForRoom(ops).slice(0, 1)
      : circularBufferBytes < usable * LARGE_SHARE
      ? []
      : adviceForRoom(ops).slice(0, 1).map((one) => led("the buffers are large as well: ", one)),
    ops?.includes("ttnn.conv2d") === true
      ? "deallocate_activation and reallocate_halo_output = true, where nothing else reads the convolution's input"
      : [],
    "run ops that free a tensor earlier; a global circular buffer (a prefetcher's) and persistent buffers of collectives lie there until they are dropped",
  ].flat();
}

function explainTooLarge(failure: CircularBuffersTooLarge, chip: ChipDescription): ExplainedFailure {
  const circularBufferBytes = Math.max(0, failure.circularBufferEnd - chip.l1UnreservedBase);
  const isOnOneCore = coreCount(failure.cores) === 1;
  return {
    failure,
    title: "Circular buffers exceed L1",
    meaning: [
      `The circular buffers of one op end at ${count(failure.circularBufferEnd)}, beyond the ${
        count(failure.l1Bytes)
      } bytes of L1${
        isOnOneCore ? ", on 1 core" : ""
      }: with this config the op never fits, whatever else is in L1, and spilling does not help`,
      ...chipsOfL1([failure.l1Bytes]),
    ],
    advice: [
      ...onGrid(
        coreCount(failure.cores),
        [
          adviceForRoom(opsOf(failure), isOnOneCore),
          isOnOneCore ? [] : remedy`${asks.MORE_CORES}more cores, so that each works on less`,
        ].flat(),
      ),
      MORE_WITH_FILE,
    ],
    circularBufferBytes,
    neededBytes: failure.overlapBytes,
  };
}

function explainBankFull(failure: BankFull, chip: ChipDescription, text: string): ExplainedFailure {
  const { memory, bytes, bytesPerBank, banks, free, largestFree, missingBytes } = failure;
  const bankOfChip = isOfUnknownChip(failure, text)
    ? undefined
    : memory === "L1"
    ? chip.l1Size - chip.l1UnreservedBase
    : memory === "DRAM" && banks === chip.dramBanks
    ? chip.dramBankSize
    : undefined;
  const bankSize = failure.bankSize ?? bankOfChip;
  // Of what is nearly full, the rest is in pieces as well; that is not what is wrong.
  const fragmented = failure.fragmented && !isNearlyFull({ ...failure, bankSize });
  const moved = memory === "DRAM" && bytes !== undefined && TO_DEVICE.test(around(bytes, text, CALL)) &&
    (failure.ops === undefined ||
      failure.ops.some((op) => /\.(?:to_layout|to_device|from_torch|as_tensor)$/.test(op)));
  const state = bankSize === undefined
    ? free === undefined ? "" : `; ${count(free)} are free${inOnePiece(largestFree)}`
    : free === undefined
    ? `; a bank has ${count(bankSize)}`
    : `; of ${count(bankSize)} ${count(free)} are free${inOnePiece(largestFree)}`;
  return {
    failure,
    title: memory === "L1_SMALL"
      ? "L1_SMALL is too small"
      : bankSize !== undefined && bytesPerBank > bankSize
      ? `A tensor is larger than ${memory}`
      : free === undefined
      ? `No room in ${memory}`
      : `${banks === undefined && !failure.saysBytesPerBank ? memory : "A bank"} is ${
        fragmented ? "fragmented" : "full"
      }`,
    meaning: [
      `A tensor needs ${failure.saysBytesPerBank || banks === undefined ? "" : "at least "}${
        count(bytesPerBank)
      } bytes ${
        banks !== undefined
          ? `in each of ${banks} ${memory} banks`
          : failure.saysBytesPerBank
          ? `in each ${memory} bank`
          : `of ${memory}`
      }${state}`,
      bytes === undefined || memory === "L1_SMALL" ? [] : bytesInWords(bytes, text, memory === "DRAM"),
      memory !== "L1_SMALL" && bankSize !== undefined && bytesPerBank > bankSize
        ? "It is larger than a bank by itself: no tensor that is freed helps"
        : [],
      moved
        ? "It is on its way from the host to the device (a weight, a constant or an input): no op's layout or buffers have a part in it"
        : [],
      isTaken({ ...failure, bankSize })
        ? `The tensor is ${
          share(bytesPerBank, bankSize)
        } of a bank: what fills it is there before, such as weights, caches, constants and results that are still read`
        : [],
      memory !== "L1_SMALL" && free === undefined && bankSize !== undefined && bytesPerBank <= bankSize
        ? `An empty bank would hold it: other tensors in ${memory} are in its way; whether the bank is full or in pieces, the message does not say`
        : [],
      fragmented
        ? "The free bytes would suffice in total, but no hole is large enough: the bank is fragmented"
        : failure.fragmented
        ? `${
          share(bankSize === undefined ? 0 : bankSize - (free ?? 0), bankSize)
        } of the bank is allocated: it is full, and the little that is left lies in pieces`
        : [],
    ].flat(),
    advice: [
      ...onGrid(
        memory === "L1" ? banks ?? 0 : 0,
        adviceOnFullBank({ ...failure, bankSize, fragmented }, moved),
      ),
      MORE_WITH_FILE,
    ],
    tensorBytes: failure.allocated,
    neededBytes: missingBytes,
  };
}

function inOnePiece(largestFree: number | undefined): string {
  return largestFree === undefined ? "" : `, ${count(largestFree)} in one piece`;
}

function adviceOnFullBank(
  { memory, bytesPerBank, bankSize, allocated, fragmented, ...failed }: BankFull,
  moved: boolean,
): readonly Remedy[] {
  switch (memory) {
    case "L1_SMALL":
      return [
        `open the device with a larger L1_SMALL: l1_small_size ${
          bankSize === 0 || allocated !== undefined
            ? `of ${count((allocated ?? 0) + bytesPerBank)} bytes and more`
            : `larger by ${count(bytesPerBank)} bytes and more`
        }${bankSize === 0 ? "; now it has none" : ""}`,
        "convolutions, pools and halos keep their tables there: config_tensors_in_dram = true of a Conv2dConfig moves them to DRAM",
      ];
    case "L1":
      return [
        fragmented ? "free or spill a neighbour of the largest hole, or make long-lived tensors first" : [],
        /conv|pool/.test(opsOf(failed)?.[0] ?? "") ? adviceForRoom(opsOf(failed)) : [],
        bankSize !== undefined && bytesPerBank <= bankSize && !fragmented
          ? "free, or spill to DRAM, what lies in L1 beside it and is read later"
          : [],
        remedy`${asks.DRAM}make the tensor in DRAM (memory_config of the op's result)${asks.MORE_CORES}, or shard it over more cores${asks.OR}${
          bytesPerBank / 2 < (failed.largestFree ?? failed.free ?? bankSize ?? bytesPerBank)
            ? ", or as bfp_bf8, which takes about half of bf16"
            : ""
        }`,
        COPIES.test(opsOf(failed)?.[0] ?? "") ? adviceForRoom(opsOf(failed)) : [],
      ].flat();
    case "DRAM":
      return [
        fragmented
          ? "free large tensors in the order in which they were made, or make weights and caches before the first run: the room is there, in pieces"
          : [],
        failed.ops?.some((op) => /all_reduce/.test(op)) === true
          ? "an all_reduce holds copies of the whole tensor: reduce_scatter and all_gather in its place, or the tensor in parts"
          : [],
        isTaken({ ...failed, memory, bytesPerBank, bankSize, fragmented, allocated })
          ? [
            moved
              ? "the model divided among more chips (tensor parallel: each holds a part of every weight), or weights in bf16 instead of f32"
              : [],
            remedy`${asks.SMALLER_BATCH}${asks.DRAM}less that stays in DRAM: weights and KV cache in bfp_bf8 or bfp_bf4, fewer blocks of the cache (a server's max_model_len, max_num_seqs), a shorter context or a smaller batch`,
            `ttnn.deallocate of what is no longer read, before it${
              moved ? "" : "; or the model divided among more chips (tensor parallel)"
            }`,
          ].flat()
          : [
            "in parts (slices of the batch or of rows) it never exists as a whole; bf16 instead of f32 halves it",
            "a tensor in tiles whose last dimensions are no multiples of 32 is padded up to 32 x: rows, or another order of its dimensions",
            remedy`${asks.SMALLER_BATCH}weights in bfp_bf8, a smaller batch${asks.OR}, or more chips`,
          ],
      ].flat();
  }
}

/** Ops whose need of room is that of tensors, not of buffers. */
const COPIES =
  /to_memory_config|reshard|sharded|reallocate|all_(?:gather|reduce|to_all)|reduce_scatter|cache/;

/** Characters around a message in which the call stands that moves its tensor. */
const CALL = 1_000;

/** Words of a tensor that goes from the host to the device. */
const TO_DEVICE =
  /\bto_device\(|\.to\((?:device|dev|["']xla|["']tt\b|xm\.|xla_device|torch_xla)|\b(?:from_torch|toDevice|as_tensor|device_put|load_state_dict|load_weights|move_to_device|enqueue_write_\w+|write_to_device)\b|\bhost[- ]to[- ]device\b|\bBufferFromHost|to_device_mesh|\bcopyFromHost/;

/** Share of a bank that is allocated, from which on it is full although what is free would do in one piece. */
const NEARLY_ALL = 0.9;

function isNearlyFull({ bankSize, free }: BankFull): boolean {
  return bankSize !== undefined && free !== undefined && bankSize - free >= bankSize * NEARLY_ALL;
}

/** Share of a bank below which it is not the tensor that fills it. */
const SMALL_SHARE = 1 / 4;

/** Whether a tensor that finds no room in DRAM is small against a bank, so that others fill it. */
function isTaken({ memory, bytesPerBank, bankSize }: BankFull): boolean {
  return memory === "DRAM" && bankSize !== undefined && bytesPerBank < bankSize * SMALL_SHARE;
}

function share(bytes: number, size: number | undefined): string {
  const percent = size === undefined ? 0 : bytes * 100 / size;
  return percent < 0.1 ? "less than 0.1 %" : `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** Most L1 banks of a Wormhole, and columns and rows of cores of one whose program has 8x8 of them. */
const [WORMHOLE_CORES, WORMHOLE_SIDE] = [64, 8];

/** Columns and bytes of L1 of a Grayskull's cores, its banks of DRAM and the bytes of one (`tt-metal:soc-descriptors`). */
const [OLDER_COLUMNS, OLDER_L1, OLDER_BANKS, OLDER_BANK] = [12, 1024 ** 2, 8, 1024 ** 3];

const GRAYSKULL =
  "It is of a Grayskull (e75, e150): at most 120 cores with 1 MiB of L1 each, and 8 banks of DRAM with 1 GiB. No device describes it here, and figures of others are not applied; its last version of tt-metal is 0.55, which has not all that is advised (slices of convolutions came later)";

/** Names of that chip, and of others. */
const [OF_GRAYSKULL, OF_OTHERS] = [
  /\bgrayskull\b|\bGSE?\W?(?:75|150)\b|\b(?<!0x)e(?:75|150)\b/i,
  /\b(?:wormhole|blackhole|[np][13][05]0[ab]?|galaxy|T3K)(?:_b0)?\b/i,
];

/**
 * Whether a message is of the chip before Wormhole: the text names no other, or its figures are that one's. A message
 * about L1 without a bank size is older than Blackhole, so that more banks than Wormhole's are of it.
 */
function isOfGrayskull(failure: RuntimeFailure, text: string): boolean {
  if (OF_GRAYSKULL.test(text) && !OF_OTHERS.test(text)) return true;
  switch (failure.kind) {
    case "circular_buffer_clash":
      return Math.max(0, ...failure.cores.map(({ end }) => end.x + 1)) === OLDER_COLUMNS &&
        failure.circularBufferEnd <= OLDER_L1;
    case "circular_buffers_too_large":
      return failure.l1Bytes === OLDER_L1;
    case "bank_full":
      return failure.memory === "DRAM"
        ? (failure.banks ?? WORMHOLE_CORES) <= OLDER_BANKS && (failure.bankSize ?? Infinity) <= OLDER_BANK
        : failure.memory === "L1" && failure.bankSize === undefined && (failure.banks ?? 0) > WORMHOLE_CORES;
    case "failed_check":
      return false;
  }
}

/**
 * Whether the figures of a described chip must not be applied to a message. One about buffers beyond L1 states the L1 size
 * itself; a clash on more than 8 rows but at most 8 columns of cores is on a Galaxy (8x10 of Wormhole) or on a part of a
 * Blackhole.
 */
function isOfUnknownChip(failure: RuntimeFailure, text: string): boolean {
  if (isOfGrayskull(failure, text)) return true;
  if (failure.kind !== "circular_buffer_clash") return failure.kind === "circular_buffers_too_large";
  const sides = failure.cores.map(({ end }) => end);
  return sides.every(({ x }) => x < WORMHOLE_SIDE) && sides.some(({ y }) => y >= WORMHOLE_SIDE);
}

function count(bytes: number): string {
  return bytes.toLocaleString("en-US");
}
