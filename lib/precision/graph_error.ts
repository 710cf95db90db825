// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../device/chip_description.ts";
import {
  type Graph,
  type GraphFunction,
  type GraphOp,
  type OpId,
  valueAt,
  type ValueId,
} from "../graph/graph.ts";
import { roleOf } from "../graph/function_role.ts";
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { computeConfigInUse } from "../op_config/default_compute_config.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { definitionOf, isKnownOp, type OpFamily } from "../ops/op_book.ts";
import { conversionError, EXACT, productError, type RelativeError, relativeL2 } from "./product_error.ts";

/** Ops whose results are sums of products of their first two operands. */
const PRODUCTS: ReadonlySet<OpFamily> = new Set(
  ["matmul", "sparse_matmul", "conv2d", "conv_transpose2d", "conv1d", "conv3d"] as const,
);

/**
 * Ops whose results do not depend on how large their operand is as a whole. A softmax does depend on it, and is counted with
 * them as an approximation.
 */
const NORMS: ReadonlySet<OpFamily> = new Set(
  ["softmax", "rms_norm", "layer_norm", "unrecorded_norm", "unrecorded_rms_norm"] as const,
);

const ATTENTION: ReadonlySet<OpFamily> = new Set(["sdpa", "sdpa_fw", "sdpa_decode"] as const);

/**
 * First-order estimate of the numeric error of a program against exact arithmetic on its arguments: the largest of its
 * results, for `tilewright advise`; no search uses it. It is no estimate of accuracy: a model may score higher with larger
 * errors.
 *
 * Each op passes the errors of its operands on and adds its own (`product_error.ts`). Biases and variances are kept apart,
 * as most of LoFi's error is a bias, which norms remove. Taken as given, for want of values: sums have parts of equal
 * size, errors of different ops are independent, and functions of one operand neither grow nor shrink what they are given.
 * Sums inside a product are exact, so that accumulation in 16 bits is not part of it.
 *
 * @param decided configs that a plan gives ops, by function; where it gives none they keep their own
 * @returns `undefined` if no function of the graph runs on the device, and beyond what a first order can say: for an
 * error as large as the result
 */
export function errorOfGraph(
  graph: Graph,
  architecture: Architecture,
  decided: DecidedConfigs = () => undefined,
): RelativeError | undefined {
  const reader = new ErrorReader(graph, architecture, decided);
  const results = graph.functions.filter(({ kind }) => roleOf(kind) === "inference").flatMap((fn) =>
    reader.resultsOf(fn)
  );
  const [largest] = results.toSorted((a, b) => relativeL2(b) - relativeL2(a));
  return largest === undefined || relativeL2(largest) >= 1 ? undefined : largest;
}

/** The decided config of an op; `undefined` if there is none. */
type DecidedConfigs = (fn: string, op: OpId) => OpSpecificAttributes | undefined;

class ErrorReader {
  readonly #graph: Graph;
  readonly #architecture: Architecture;
  readonly #decided: DecidedConfigs;
  readonly #known: Map<string, readonly RelativeError[]> = new Map();

  constructor(graph: Graph, architecture: Architecture, decided: DecidedConfigs) {
    this.#graph = graph;
    this.#decided = decided;
    this.#architecture = architecture;
  }

  /** Errors of a function's results; arguments are exact. */
  resultsOf(fn: GraphFunction): readonly RelativeError[] {
    const known = this.#known.get(fn.name);
    if (known !== undefined) return known;
    const errors: RelativeError[] = fn.values.map(() => EXACT);
    for (const op of fn.ops) {
      const found = this.#errorsOf(fn, op, errors);
      op.results.forEach((result, index) => errors[result] = found[index] ?? EXACT);
    }
    const results = fn.results.map((result) => errors[result] ?? EXACT);
    this.#known.set(fn.name, results);
    return results;
  }

  #errorsOf(fn: GraphFunction, op: GraphOp, errors: readonly RelativeError[]): readonly RelativeError[] {
    if (op.name === LOAD_CACHED) {
      const callee = op.attributes.get("callee");
      const called = this.#graph.functions.find(({ name }) =>
        callee?.kind === "symbol" && name === callee.name
      );
      return called === undefined ? [] : this.resultsOf(called);
    }
    const given = op.operands.filter((id) => valueAt(fn, id).tensor !== undefined);
    const passed = this.#passedOn(fn, op, given, errors);
    return op.results.map((result) => {
      const own = conversionOf(fn, given, result, roleOf(fn.kind) === "once");
      return own === undefined ? passed : chained(passed, own);
    });
  }

  #passedOn(
    fn: GraphFunction,
    op: GraphOp,
    given: readonly ValueId[],
    errors: readonly RelativeError[],
  ): RelativeError {
    const [first = EXACT, second = EXACT, third = EXACT] = given.map((id) => errors[id] ?? EXACT);
    if (!isKnownOp(op.name)) return worst(given.map((id) => errors[id] ?? EXACT));
    const { family } = definitionOf(op.name);
    if (PRODUCTS.has(family)) return chained(chained(first, second), this.#product(fn, op, given));
    if (ATTENTION.has(family)) {
      const product = this.#product(fn, op, given);
      const weights = { bias: 0, variance: first.variance + second.variance + product.variance };
      return chained(chained(weights, third), product);
    }
    if (NORMS.has(family)) return { bias: 0, variance: first.variance };
    if (op.name === "ttnn.add" || op.name === "ttnn.subtract") {
      return { bias: (first.bias + second.bias) / 2, variance: (first.variance + second.variance) / 2 };
    }
    if (op.name === "ttnn.multiply") return chained(first, second);
    if (op.name === "ttnn.divide") return chained(first, { ...second, bias: 1 / (1 + second.bias) - 1 });
    return worst(given.map((id) => errors[id] ?? EXACT));
  }

  /** Error that a matmul adds by its math fidelity; none if that is unknown. */
  #product(fn: GraphFunction, op: GraphOp, given: readonly ValueId[]): RelativeError {
    const [in0, in1] = given.map((id) => formatOf(fn, id));
    const result = op.results[0] === undefined ? undefined : formatOf(fn, op.results[0]);
    if (in0 === undefined || in1 === undefined || result === undefined) return EXACT;
    const config = this.#decided(fn.name, op.id) ?? parseOpConfig(op.name, op.attributes);
    const isPlanned = config?.kind === "matmul" && config.programConfig !== undefined;
    const inUse = computeConfigInUse(config?.computeConfig, {
      op: op.name,
      operands: [in0, in1],
      result,
      isPlanned,
      architecture: this.#architecture,
    });
    if (inUse === undefined) return EXACT;
    return productError({ formats: [in0, in1], fidelity: inUse.mathFidelity }, [undefined, undefined]);
  }
}

function formatOf(fn: GraphFunction, id: ValueId): DataType | undefined {
  const { tensor, layout } = valueAt(fn, id);
  return layout?.dataType ?? tensor?.dataType;
}

/**
 * The error of bringing a result into its format: into blocks of operands whose first has another format, into bf16
 * of operands of which one is f32; `undefined` where there is none. What const-eval makes of
 * four bits is packed by the host, everything else by the device (tt-mlir:weight-dtype).
 */
function conversionOf(
  fn: GraphFunction,
  given: readonly ValueId[],
  result: ValueId,
  isConstant: boolean,
): RelativeError | undefined {
  const format = formatOf(fn, result);
  if (format === undefined || given.length === 0) return undefined;
  const formats = given.map((id) => formatOf(fn, id));
  if (isBlockFloat(format)) {
    if (formats[0] === format) return undefined;
    return conversionError(format, isConstant && format === "bfp_bf4" ? "host" : "device");
  }
  return format === "bf16" && formats.includes("f32") ? conversionError("bf16", "device") : undefined;
}

/** Errors of two factors of a product, to first order in the variances. */
function chained(a: RelativeError, b: RelativeError): RelativeError {
  return { bias: (1 + a.bias) * (1 + b.bias) - 1, variance: a.variance + b.variance };
}

function worst(errors: readonly RelativeError[]): RelativeError {
  return errors.toSorted((a, b) => relativeL2(b) - relativeL2(a))[0] ?? EXACT;
}
