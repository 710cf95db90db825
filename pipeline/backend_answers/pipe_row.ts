// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { CoreRange } from "../../lib/layout/core_range.ts";
import { REQUEST } from "../op_model_pipe/request.ts";
import type { RecordedAnswer, RecordedProgram, RecordedRow } from "./recorded_answer.ts";
import { resultSchema } from "./recorded_result.ts";

/** A row that is not compared. */
export interface LeftOutRow {
  /**
   * Why: the field of the question that the dialect cannot express, `not asked` if the backend does not implement the
   * query, or the kind of a question that asks for no constraints.
   */
  readonly leftOut: string;
}

/** `[[x0, y0], [x1, y1]]`. */
const RANGE = v.pipe(
  v.tuple([v.tuple([v.number(), v.number()]), v.tuple([v.number(), v.number()])]),
  v.transform(([[x0, y0], [x1, y1]]): CoreRange => ({ start: { x: x0, y: y0 }, end: { x: x1, y: y1 } })),
);
const ANSWER = v.variant("ok", [
  v.object({
    ok: v.literal(true),
    cbs: v.array(v.tuple([v.number(), v.string(), v.number()])),
    cbPeak: v.number(),
    tensorPeak: v.number(),
    totalPeak: v.number(),
    outputLayouts: v.array(resultSchema(RANGE)),
    scratchpad: v.optional(v.number()),
  }),
  v.object({ ok: v.literal(false), status: v.string(), reason: v.string() }),
]);
const ACTIVATIONS = ["activations", "input_tensor_a_activations", "input_tensor_b_activations"] as const;
const ROW = v.object({
  device: v.string(),
  question: v.looseObject({
    op: v.string(),
    attrs: v.record(v.string(), v.string()),
    operands: v.array(v.unknown()),
  }),
  answer: ANSWER,
});

/** Fields of recorded questions without a counterpart in the dialect. */
const BEYOND_THE_DIALECT = ["scalar", "coreGrid", "pick"] as const;

/** Boards of the recordings in this format: their p150 has all 13 columns. */
const DEVICES: ReadonlyMap<string, string> = new Map([["p150", "p150-13x10"]]);

/**
 * Reads a row `{device, question, answer}` whose question is a line of the op-model pipe.
 *
 * @throws {ValiError | SyntaxError} if it is no such row
 */
export function readPipeRow(line: string): RecordedRow | LeftOutRow {
  const { device, question, answer } = v.parse(ROW, JSON.parse(line));
  const beyond = BEYOND_THE_DIALECT.find((name) => name in question) ??
    ("chunks" in question.attrs ? "chunks" : undefined) ??
    (/norm$/.test(question.op) && /: 1, \d, \d, 1>/.test(question.attrs["operandSegmentSizes"] ?? "")
      ? "residual"
      : undefined);
  if (beyond !== undefined) return { leftOut: beyond };
  if (!answer.ok && answer.status === "notImplemented") return { leftOut: "not asked" };
  const asked = v.parse(REQUEST, { ...question, attrs: { ...question.attrs, ...activationsOf(question) } });
  if (asked.kind !== "constraints") return { leftOut: asked.kind };
  return { device: DEVICES.get(device) ?? device, question: asked, answer: answerOf(answer) };
}

/** Fused activations, which these rows state outside the attributes. */
function activationsOf(question: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of ACTIVATIONS) {
    const given = v.safeParse(v.array(v.string()), question[name]);
    if (!given.success) continue;
    const each = given.output.map((op) => `#ttnn.unary_with_param<op_type = <${op.toLowerCase()}>>`);
    texts[name] = `[${each.join(", ")}]`;
  }
  return texts;
}

function answerOf(answer: v.InferOutput<typeof ANSWER>): RecordedAnswer {
  if (!answer.ok) {
    const status = answer.status === "oom" || answer.status === "crash" ? answer.status : "error";
    return { ok: false, status, reason: answer.reason };
  }
  const { cbPeak, tensorPeak, totalPeak } = answer;
  return {
    ok: true,
    cbPeak,
    tensorPeak,
    totalPeak,
    // Scratchpads are reported as one peak that belongs to no program.
    programs: answer.scratchpad === undefined ? programsOf(answer.cbs) : undefined,
    events: undefined,
    results: answer.outputLayouts,
    computeConfigs: [],
  };
}

/** Buffers by program number; programs without buffers are not recorded. */
function programsOf(buffers: readonly (readonly [number, string, number])[]): readonly RecordedProgram[] {
  const byProgram = Map.groupBy(buffers, ([, , program]) => program);
  return [...byProgram.values()].map((own) => ({
    operation: "",
    buffers: own.map(([bytes]) => ({ bytes, backed: false, scratch: false, cores: [] })),
  }));
}
