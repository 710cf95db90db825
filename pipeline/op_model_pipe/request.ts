// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { AllocationRecord } from "../../lib/memory/allocation_query.ts";

/** A layout; its text is complete, so the decoded fields beside it are not read. */
export interface WireLayoutText {
  /** `#ttnn.ttnn_layout<…>`, without aliases. */
  readonly text: string;
}

/** A tensor of a question. */
export interface WireTensor {
  readonly shape: readonly number[];
  readonly elementType: string;
  readonly layout: WireLayoutText | null;
}

/** An operand or result: a tensor, or the type of anything else (`!ttnn.device`). */
export type WireValue = WireTensor | { readonly type: string };

/** `kind` and attributes by their name in the protocol, as MLIR text; `null` keeps the op's own. */
export type WireConfig = Readonly<Record<string, string | null>>;

/** An op: attributes as MLIR text, operands with the tried layouts, results as in the IR. */
export interface WireOp {
  readonly op: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly operands: readonly WireValue[];
  readonly results: readonly WireValue[];
}

/** Id of a question, repeated in its reply. */
export type RequestId = number | string;

interface RequestedQuestion<Kind extends string> {
  readonly kind: Kind;
  readonly id?: RequestId | undefined;
}

/** The first message: the compiler describes itself. Grids are `[rows, columns]`, sizes bytes per core. */
export interface HelloRequest extends RequestedQuestion<"hello"> {
  readonly arch: string;
  readonly workerGrid: readonly [number, number];
  readonly l1Size: number;
  readonly usableL1Size: number;
  readonly systemDesc: string;
}

/** Asks whether an op can run with these layouts, for its result layouts and its L1 demand. */
export interface ConstraintsRequest extends RequestedQuestion<"constraints">, WireOp {
  readonly outputLayout: WireLayoutText | null;
  readonly opConfig: WireConfig;
  /** Bytes per core of other live tensors. */
  readonly additionalL1: number;
  /**
   * The compiler's budget in bytes of L1 per core. Only a stateful question is answered by it (or by ours if that is
   * smaller); otherwise the compiler itself compares the reply's peak with it.
   */
  readonly usableL1: number;
  /** Live buffers of every memory, for a stateful question; `additionalL1` is not read then. */
  readonly liveRecords: readonly AllocationRecord[] | null;
}

/** Asks for the time of an op. */
export interface RuntimeRequest extends RequestedQuestion<"runtime">, WireOp {
  readonly outputLayout: WireLayoutText | null;
  readonly opConfig: WireConfig;
}

/** Asks for the time of a copy into another layout. */
export interface ReshardRuntimeRequest extends RequestedQuestion<"reshardRuntime"> {
  readonly operands: readonly [WireTensor];
  readonly outputLayout: WireLayoutText;
}

/** Asks whether a tensor can have a layout. */
export interface LayoutLegalRequest extends RequestedQuestion<"layoutLegal"> {
  readonly shape: readonly number[];
  readonly layout: WireLayoutText;
  readonly maxGrid: readonly [number, number];
}

/** Asks for the shape of a convolution's prepared weights, which are tiled in DRAM. */
export interface PreparedWeightsRequest extends RequestedQuestion<"preparedConv2dWeights">, WireOp {
  readonly conv2dConfig: string | null;
}

/** A question. */
export type Request =
  | HelloRequest
  | ConstraintsRequest
  | RuntimeRequest
  | ReshardRuntimeRequest
  | LayoutLegalRequest
  | PreparedWeightsRequest;

/** Most elements of a tensor: more than any memory holds, while sizes in bytes stay exact. */
const MOST_ELEMENTS = 2 ** 44;

/** A non-negative safe integer. */
const COUNT: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SHAPE: v.GenericSchema<unknown, number[]> = v.pipe(
  v.array(COUNT),
  v.check(
    (shape) => shape.reduce((elements, extent) => elements * extent, 1) <= MOST_ELEMENTS,
    "too many elements",
  ),
);
const PAIR: v.GenericSchema<unknown, [number, number]> = v.tuple([COUNT, COUNT]);
const LAYOUT: v.GenericSchema<unknown, WireLayoutText> = v.object({ text: v.string() });
const TENSOR: v.GenericSchema<unknown, WireTensor> = v.object({
  shape: SHAPE,
  elementType: v.string(),
  layout: v.nullable(LAYOUT),
});
const VALUES: v.GenericSchema<unknown, WireValue[]> = v.array(
  v.union([TENSOR, v.object({ type: v.string() })]),
);
const CONFIG: v.GenericSchema<unknown, WireConfig> = v.record(v.string(), v.nullable(v.string()));

const ID = { id: v.optional(v.union([v.number(), v.string()])) };
const OP = {
  ...ID,
  op: v.string(),
  attrs: v.record(v.string(), v.string()),
  operands: VALUES,
  results: VALUES,
};

const BY_KIND = {
  hello: v.object({
    ...ID,
    kind: v.literal("hello"),
    arch: v.string(),
    workerGrid: PAIR,
    l1Size: COUNT,
    usableL1Size: COUNT,
    systemDesc: v.optional(v.string(), ""),
  }),
  constraints: v.object({
    ...OP,
    kind: v.literal("constraints"),
    outputLayout: v.nullable(LAYOUT),
    opConfig: CONFIG,
    additionalL1: COUNT,
    usableL1: COUNT,
    liveRecords: v.nullable(v.array(v.object({
      bufferType: v.picklist(["dram", "l1", "system_memory", "l1_small", "trace"]),
      address: COUNT,
      sizePerBank: COUNT,
    }))),
  }),
  runtime: v.object({
    ...OP,
    kind: v.literal("runtime"),
    outputLayout: v.nullable(LAYOUT),
    opConfig: v.optional(CONFIG, { kind: "none" }),
  }),
  reshardRuntime: v.object({
    ...ID,
    kind: v.literal("reshardRuntime"),
    operands: v.tuple([TENSOR]),
    outputLayout: LAYOUT,
  }),
  layoutLegal: v.object({
    ...ID,
    kind: v.literal("layoutLegal"),
    shape: SHAPE,
    layout: LAYOUT,
    maxGrid: PAIR,
  }),
  preparedConv2dWeights: v.object({
    ...OP,
    kind: v.literal("preparedConv2dWeights"),
    conv2dConfig: v.optional(v.nullable(v.string()), null),
  }),
};

/** Names of the questions. */
export const REQUEST_KINDS: readonly string[] = Object.keys(BY_KIND);

/**
 * Every question of the pipe. What is not read may hold anything: `text` and `direct` of a question, and the decoded fields
 * beside the `text` of a layout.
 */
export const REQUEST: v.GenericSchema<unknown, Request> = v.variant("kind", [
  BY_KIND.constraints,
  BY_KIND.layoutLegal,
  BY_KIND.preparedConv2dWeights,
  BY_KIND.runtime,
  BY_KIND.reshardRuntime,
  BY_KIND.hello,
]);
