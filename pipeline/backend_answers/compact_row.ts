// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type ChipDescription, DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import { parseTtnnLayout } from "../../lib/dialect/ttnn_layout.ts";
import type { ConstraintsRequest, WireValue } from "../op_model_pipe/request.ts";
import { wireTensor } from "./candidate_question.ts";
import {
  CodeError,
  coresCode,
  extents,
  layoutCode,
  readCores,
  readLayoutCode,
  readResultCode,
  resultCode,
} from "./layout_code.ts";
import type {
  RecordedAnswer,
  RecordedBuffer,
  RecordedEvent,
  RecordedProgram,
  RecordedRow,
} from "./recorded_answer.ts";

const TEXTS = v.record(v.string(), v.string());

/** A row as it is stored: short keys, layouts and buffers as codes. */
const STORED_QUESTION = {
  /** Device. */
  d: v.string(),
  /** Op, without its dialect. */
  o: v.string(),
  /** Attributes. */
  a: v.optional(TEXTS, {}),
  /** Operands: shape and layout, or a type. */
  i: v.array(v.string()),
  /** Results as declared. */
  r: v.optional(v.array(v.string()), []),
  /** Output hint: shape and layout. */
  h: v.optional(v.string()),
  /** Config, with its kind. */
  c: v.optional(TEXTS, { kind: "none" }),
};
const STORED_REFUSAL = v.object({
  ...STORED_QUESTION,
  /** Status. */
  n: v.picklist(["error", "oom", "crash"]),
  /** Reason, in ttnn's words. */
  w: v.string(),
});
const STORED_ACCEPTANCE = v.object({
  ...STORED_QUESTION,
  /** Programs. */
  p: v.array(v.string()),
  /** Events. */
  e: v.string(),
  /** Peaks of buffers, tensors, and both together, in bytes per core. */
  m: v.tuple([v.number(), v.number(), v.number()]),
  /** Results. */
  l: v.array(v.string()),
  /** Compute configs. */
  k: v.optional(v.array(v.string()), []),
});
type StoredRow = v.InferOutput<typeof STORED_REFUSAL> | v.InferOutput<typeof STORED_ACCEPTANCE>;

/** The row of a line of a stored file. @throws {CodeError | ValiError | SyntaxError} for an unreadable line */
export function readStoredRow(line: string, chipOf: (device: string) => ChipDescription): RecordedRow {
  const json: unknown = JSON.parse(line);
  const isRefusal = typeof json === "object" && json !== null && "n" in json;
  const stored: StoredRow = isRefusal ? v.parse(STORED_REFUSAL, json) : v.parse(STORED_ACCEPTANCE, json);
  const chip = chipOf(stored.d);
  const hint = stored.h === undefined ? null : readTensor(stored.h, chip);
  const question: ConstraintsRequest = {
    kind: "constraints",
    op: `ttnn.${stored.o}`,
    attrs: stored.a,
    operands: stored.i.map((code) => readTensor(code, chip)),
    results: stored.r.map((code) => readTensor(code, chip)),
    outputLayout: hint !== null && "layout" in hint ? hint.layout : null,
    opConfig: stored.c,
    additionalL1: 0,
    usableL1: usableL1Bytes(chip, DEFAULT_L1_CAP, 0),
    liveRecords: null,
  };
  return { device: stored.d, question, answer: answerOf(stored) };
}

function answerOf(stored: StoredRow): RecordedAnswer {
  if ("n" in stored) return { ok: false, status: stored.n, reason: stored.w };
  const [cbPeak, tensorPeak, totalPeak] = stored.m;
  return {
    ok: true,
    cbPeak,
    tensorPeak,
    totalPeak,
    programs: stored.p.map(readProgram),
    events: stored.e.split(" ").filter((word) => word !== "").map(readEvent),
    results: stored.l.map(readResultCode),
    computeConfigs: stored.k,
  };
}

/** A row on one line, the same bytes for equal rows. */
export function storedLine({ device, question, answer }: RecordedRow, chip: ChipDescription): string {
  const tensorCode = (value: WireValue): string => codeOf(value, chip);
  const { kind: _, ...parts } = question.opConfig;
  const config = Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== null);
  const shape = question.results.find((result) => "shape" in result)?.shape ?? [];
  const stored = {
    d: device,
    o: question.op.replace(/^ttnn\./, ""),
    ...(Object.keys(question.attrs).length === 0 ? {} : { a: sorted(Object.entries(question.attrs)) }),
    i: question.operands.map(tensorCode),
    ...(question.results.length === 0 ? {} : { r: question.results.map(tensorCode) }),
    ...(question.outputLayout === null
      ? {}
      : { h: tensorCode({ shape, elementType: "", layout: question.outputLayout }) }),
    ...(config.length === 0 ? {} : { c: { kind: question.opConfig["kind"], ...sorted(config) } }),
    ...(answer.ok
      ? {
        p: (answer.programs ?? []).map(programCode),
        e: (answer.events ?? []).map(eventCode).join(" "),
        m: [answer.cbPeak, answer.tensorPeak, answer.totalPeak],
        l: (answer.results ?? []).map(resultCode),
        ...(answer.computeConfigs.length === 0 ? {} : { k: answer.computeConfigs }),
      }
      : { n: answer.status, w: answer.reason }),
  };
  return JSON.stringify(stored);
}

function sorted(entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}

/**
 * `8x128x768 bf16 dram`; if the type's format differs from the layout's, it follows the shape: `8x128:si32
 * …`.
 */
function codeOf(value: WireValue, chip: ChipDescription): string {
  if (!("shape" in value)) return value.type;
  const layout = value.layout === null ? undefined : parseTtnnLayout(value.layout.text)?.layout;
  if (layout === undefined) throw new CodeError(`a tensor without a layout that can be read`);
  const type = value.elementType === layout.dataType || value.elementType === ""
    ? ""
    : `:${value.elementType}`;
  return `${value.shape.join("x") || "scalar"}${type} ${layoutCode(layout, value.shape, chip.workerGrid)}`;
}

function readTensor(
  code: string,
  chip: ChipDescription,
): { readonly type: string } | ReturnType<typeof wireTensor> {
  if (code.startsWith("!")) return { type: code };
  const space = code.indexOf(" ");
  const [extent = "", type] = code.slice(0, space).split(":");
  const shape = extent === "scalar" ? [] : extents(extent);
  const layout = readLayoutCode(code.slice(space + 1), shape, chip.workerGrid);
  const tensor = wireTensor(shape, layout, chip.workerGrid);
  return type === undefined ? tensor : { ...tensor, elementType: type };
}

/** `Matmul 4096@0,0-7,7 4096 =28672 ~16`: bytes, `=` backed, `~` scratch, cores where they change. */
function programCode({ operation, buffers }: RecordedProgram): string {
  let cores = "";
  const words = buffers.map((buffer) => {
    const code = coresCode(buffer.cores);
    const place = code === cores ? "" : `@${code}`;
    cores = code;
    return `${buffer.backed ? "=" : ""}${buffer.scratch ? "~" : ""}${buffer.bytes}${place}`;
  });
  return [operation, ...words].join(" ");
}

function readProgram(code: string): RecordedProgram {
  const [operation = "", ...words] = code.split(" ");
  let cores: RecordedBuffer["cores"] = [];
  const buffers = words.map((word): RecordedBuffer => {
    const match = /^(=?)(~?)(\d+)(?:@(.+))?$/.exec(word);
    if (match === null) throw new CodeError(`no buffer: '${word}'`);
    if (match[4] !== undefined) cores = readCores(match[4]);
    return { bytes: Number(match[3]), backed: match[1] === "=", scratch: match[2] === "~", cores };
  });
  return { operation, buffers };
}

const MEMORY_LETTERS = { l1: "l", dram: "d", l1_small: "s" } as const;

/**
 * `l2048` allocates 2048 bytes per bank in L1, `d…` in DRAM, `s…` in L1_SMALL; `-0` frees the first of these
 * allocations, `-x` an operand; `p` runs a program.
 */
function eventCode(event: RecordedEvent): string {
  switch (event.kind) {
    case "allocate":
      return `${MEMORY_LETTERS[event.memory]}${event.bytesPerBank}`;
    case "free":
      return `-${event.tensor ?? "x"}`;
    case "run":
      return "p";
  }
}

function readEvent(code: string): RecordedEvent {
  if (code === "p") return { kind: "run" };
  if (code.startsWith("-")) {
    return { kind: "free", tensor: code === "-x" ? undefined : Number(code.slice(1)) };
  }
  const memory = (["l1", "dram", "l1_small"] as const).find((name) => code.startsWith(MEMORY_LETTERS[name]));
  const bytesPerBank = Number(code.slice(1));
  if (memory === undefined || !Number.isInteger(bytesPerBank)) throw new CodeError(`no event: '${code}'`);
  return { kind: "allocate", memory, bytesPerBank };
}
