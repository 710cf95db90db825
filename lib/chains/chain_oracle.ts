// SPDX-License-Identifier: Apache-2.0
import { l1Shards } from "../analysis/legal_op_layouts.ts";
import { attributesKey, type OpConfig } from "../analysis/op_config.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { l1Bytes } from "../memory/op_footprint.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { ChainContext } from "./chain_context.ts";
import type { ChainEdge } from "./path_set.ts";
import type { FirstOpInput, ReconfigEdge, ShardSolverOracle, ShardSolverProblem } from "./shard_solver.ts";

/** One query to the op model while an edge is explored; with `undefined` as hint the backend chooses the output. */
interface TestConfig {
  readonly hint: LayoutId | undefined;
  readonly attributes: OpSpecificAttributes | undefined;
  readonly attributesKey: string;
}

/**
 * Whether a binary elementwise op would run on fewer cores than its largest sharded input, which hangs
 * tt-metal (tt-metal#34765). Upstream checks only `add`, `multiply` and `minimum`.
 */
export function shrinksCores(
  context: ChainContext,
  op: OpId,
  output: LayoutId,
  inputs: LayoutIds,
): boolean {
  if (definitionOf(context.op(op).name).costClass !== "eltwise_binary") return false;
  const outputShards = l1Shards(context.layouts.get(output));
  if (outputShards === undefined) return false;
  const most = Math.max(
    0,
    ...inputs.map((id) => id === undefined ? 0 : l1Shards(context.layouts.get(id)) ?? 0),
  );
  return outputShards < most;
}

/** The shard solver's problem for a chain. */
export function chainProblem(context: ChainContext, ops: readonly OpId[]): ShardSolverProblem {
  const place = new Map(ops.map((op, index) => [op, index]));
  const edges = ops.flatMap((op, consumer) =>
    context.op(op).operands.flatMap((value, operand): ChainEdge[] => {
      const producerOp = context.producer(value);
      const producer = producerOp === undefined ? undefined : place.get(producerOp);
      return producer === undefined ? [] : [{ producer, consumer, operand }];
    })
  );
  return {
    ops: ops.map((op) => {
      const configs = context.shardedConfigs[op] ?? [];
      return {
        name: context.describeOp(op),
        gridVolumes: configs.map(({ outputLayout }) => l1Shards(context.layouts.get(outputLayout)) ?? 0),
        isBlockSharded: (config) => {
          const layout = configs[config]?.outputLayout;
          return layout !== undefined && context.layouts.get(layout).memoryLayout === "block_sharded";
        },
      };
    }),
    edges,
    overrideEdges: context.overrideEdges.flatMap(({ op, operand }) => {
      const consumer = place.get(op);
      return consumer === undefined ? [] : [{ consumer, operand }];
    }),
  };
}

/**
 * Replaces the op model: maps an op with a config, one operand in a given layout and the others as in the
 * input to the result layout; `undefined` if the op does not run. A config is compatible if its layout equals
 * the result (`customCheckShardCompatible`, tt-mlir:shard-solver-document §1).
 */
export type CheckShardCompatible = (
  operand: ValueId,
  inputLayout: LayoutId,
  consumer: OpId,
  config: OpConfig,
) => LayoutId | undefined;

/** How the solver's questions are translated to queries. */
export interface ChainOracleOptions {
  /**
   * Whether the operand of an edge, as it is produced or converted, counts as occupied L1. Upstream does not count it:
   * it compares only the op's own peak with the budget.
   */
  readonly countOperandBytes: boolean;
  /**
   * Decides which layouts the first op can read and which configs of two ops are compatible; conversions are
   * still checked by the op model. The policies pass none, like those of the document.
   */
  readonly customCheckShardCompatible?: CheckShardCompatible;
}

/** A config of an op, and the layout that it produces. */
interface Outcome {
  readonly config: number;
  readonly output: LayoutId;
}

/** Cached answers for ops with equal legal configs, whose queries have equal answers. */
interface CachedAnswers {
  readonly tests: readonly TestConfig[];
  /** First config index by output layout and attributes. */
  readonly references: ReadonlyMap<string, number>;
  /** By operand, its layout and the occupied L1. */
  readonly outcomes: Map<string, readonly Outcome[]>;
  /** Configs that the op runs with exactly as requested, by the layouts of its operands. */
  readonly produced: Map<string, readonly number[]>;
}

/**
 * By list of sharded configs: {@linkcode ChainContext} shares one list between ops with equal answers, and only
 * between those.
 */
const CACHE: WeakMap<readonly OpConfig[], CachedAnswers> = new WeakMap();

/** Answers the solver's questions about a chain with the op model (tt-mlir:shard-solver). */
export class ChainOracle implements ShardSolverOracle {
  readonly #context: ChainContext;
  readonly #ops: readonly OpId[];
  readonly #options: ChainOracleOptions;

  constructor(context: ChainContext, ops: readonly OpId[], options: ChainOracleOptions) {
    this.#context = context;
    this.#ops = ops;
    this.#options = options;
  }

  /**
   * For ops that are neither overridden, solved with their input nor convolutions: the configs that accept operand 0
   * from DRAM and produce exactly their own sharded layout.
   */
  firstOpInput(): FirstOpInput {
    const context = this.#context;
    const op = this.#op(0);
    const { name, operands } = context.op(op);
    if (context.overrideEdges.some((edge) => edge.op === op && edge.operand === 0)) {
      return { kind: "override" };
    }
    const dispatched = operands.findIndex((value) => context.isDispatched(value));
    if (context.options.solveForOptimalFirstOpInput || dispatched >= 0) {
      const solved = this.#optimalFirstOpInput(op, Math.max(dispatched, 0));
      if (solved !== undefined) return solved;
    }
    if (name === "ttnn.conv2d" || name === "ttnn.conv_transpose2d") return { kind: "reshard" };
    const inputs = context.operandLayouts(op);
    const [first] = operands;
    const firstLayout = inputs[0];
    const isOnHost = firstLayout !== undefined &&
      context.layouts.get(firstLayout).bufferType === "system_memory";
    if (first !== undefined && firstLayout !== undefined && !isOnHost) {
      inputs[0] = context.interleavedOf(first, this.#entryLayout(first, firstLayout), "dram");
    }
    const custom = this.#customOutcomes(op, 0, inputs[0])?.map(({ config }) => config);
    return { kind: "configs", configs: custom ?? this.#produced(op, inputs) };
  }

  compatibleConfigs(edge: ChainEdge, producerConfig: number): readonly number[] {
    const context = this.#context;
    const consumer = this.#op(edge.consumer);
    const layout = this.#configs(this.#op(edge.producer))[producerConfig]?.outputLayout;
    if (layout === undefined) return [];
    const outcomes = this.#customOutcomes(consumer, edge.operand, layout) ??
      this.#outcomes(consumer, edge.operand, layout);
    return outcomes
      .filter(({ output }) => !shrinksCores(context, consumer, output, [layout]))
      .map(({ config }) => config);
  }

  /** Every sharded layout of the operand, tried on the consumer; in the order of the legal layouts. */
  reshardLayouts(edge: ReconfigEdge): ReadonlyMap<number, readonly LayoutId[]> {
    const entry = new Map<number, LayoutId[]>();
    if (!this.#context.options.memReconfigEnabled) return entry;
    const op = this.#op(edge.consumer);
    for (const layout of this.#context.shardedOperandLayouts(op, edge.operand)) {
      for (const { config } of this.#outcomes(op, edge.operand, layout)) {
        const list = entry.getOrInsertComputed(config, () => []);
        if (list.at(-1) !== layout) list.push(layout);
      }
    }
    return entry;
  }

  /**
   * `solveForOptimalFirstOpInput`: the first sharded input layout that works with a config, and the first such
   * config.
   */
  #optimalFirstOpInput(op: OpId, operand: number): FirstOpInput | undefined {
    const inputs = this.#context.operandLayouts(op);
    for (const layout of this.#context.shardedOperandLayouts(op, operand)) {
      inputs[operand] = layout;
      const custom = this.#customOutcomes(op, operand, layout);
      const config = custom === undefined
        ? this.#configs(op).findIndex((candidate) => this.#produces(op, inputs, candidate))
        : custom[0]?.config ?? -1;
      if (config >= 0) return { kind: "input", operand, layout, config };
    }
    return undefined;
  }

  /** Configs whose sharded layout an op produces exactly from the inputs. */
  #produced(op: OpId, inputs: LayoutIds): readonly number[] {
    const { produced } = this.#cached(op);
    return produced.getOrInsertComputed(
      inputs.join(),
      () => this.#configs(op).flatMap((config, index) => this.#produces(op, inputs, config) ? [index] : []),
    );
  }

  /** Whether an op produces exactly the config's sharded layout from the inputs. */
  #produces(op: OpId, inputs: LayoutIds, config: OpConfig): boolean {
    const context = this.#context;
    const hint = context.requestedLayout(op, config.outputLayout);
    const answer = context.constraints(op, inputs, hint, config.attributes);
    return answer.status === "valid" &&
      context.inDeclaredFormats(op, answer.outputLayouts, config.outputLayout)[0] === config.outputLayout;
  }

  /** Consumer configs that result when one operand has the given layout and the others are as in the input. */
  #outcomes(op: OpId, operand: number, layout: LayoutId): readonly Outcome[] {
    const context = this.#context;
    const extra = this.#options.countOperandBytes ? l1Bytes(context.layouts, layout) : 0;
    const { outcomes } = this.#cached(op);
    const key = `${operand}|${layout}|${extra}`;
    return outcomes.getOrInsertComputed(key, () => this.#findOutcomes(op, operand, layout, extra));
  }

  #findOutcomes(op: OpId, operand: number, layout: LayoutId, extra: number): readonly Outcome[] {
    const context = this.#context;
    const { tests, references } = this.#cached(op);
    const inputs = context.operandLayouts(op);
    inputs[operand] = layout;
    const outcomes: Outcome[] = [];
    for (const test of tests) {
      const answer = context.constraints(op, inputs, test.hint, test.attributes, extra);
      const output = answer.status === "valid"
        ? context.inDeclaredFormats(op, answer.outputLayouts, this.#configs(op)[0]?.outputLayout)[0]
        : undefined;
      if (output === undefined) continue;
      const config = references.get(`${output}|${test.attributesKey}`);
      if (config !== undefined) outcomes.push({ config, output });
    }
    return outcomes;
  }

  /**
   * {@linkcode ChainOracle.#outcomes} by {@linkcode CheckShardCompatible}; `undefined` without one, or if no
   * layout is read.
   */
  #customOutcomes(op: OpId, operand: number, layout: LayoutId | undefined): readonly Outcome[] | undefined {
    const check = this.#options.customCheckShardCompatible;
    const value = this.#context.op(op).operands[operand];
    if (check === undefined || value === undefined || layout === undefined) return undefined;
    return this.#configs(op).flatMap((config, index): Outcome[] => {
      const output = check(value, layout, op, config);
      return output === config.outputLayout ? [{ config: index, output }] : [];
    });
  }

  #cached(op: OpId): CachedAnswers {
    const configs = this.#configs(op);
    return CACHE.getOrInsertComputed(configs, () => ({
      tests: this.#testConfigs(op),
      references: referencesOf(configs),
      outcomes: new Map(),
      produced: new Map(),
    }));
  }

  /** The queries worth making for a consumer (tt-mlir `getUniqueTestConfigs`). */
  #testConfigs(op: OpId): readonly TestConfig[] {
    const context = this.#context;
    const tests = this.#configs(op).map(({ outputLayout, attributes }) => ({
      hint: outputLayout,
      attributes,
      attributesKey: attributesKey(attributes),
    }));
    if (context.op(op).name === "ttnn.d2m_subgraph") return tests;
    if (!context.ignoresPhysicalLayout(op)) {
      return uniqueAttributes(tests).map((test) => ({ ...test, hint: undefined }));
    }
    const groups = Map.groupBy(tests, (test) => {
      const { bufferType, memoryLayout } = context.layouts.get(test.hint);
      const memory = TENSOR_MEMORY_LAYOUTS.findIndex((each) => each === memoryLayout);
      return BUFFER_TYPES.indexOf(bufferType) * TENSOR_MEMORY_LAYOUTS.length + memory;
    });
    return [...groups].toSorted(([a], [b]) => a - b).flatMap(([, members]) => {
      const [first] = members;
      const hint = first === undefined ? undefined : context.requestedLayout(op, first.hint);
      return uniqueAttributes(members).map((test) => ({ ...test, hint }));
    });
  }

  /** The operand's layout, with row-major pages if its producer's override asks for them. */
  #entryLayout(value: ValueId, layout: LayoutId): LayoutId {
    const context = this.#context;
    const producer = context.producer(value);
    const override = producer === undefined ? undefined : context.overrides.get(producer)?.outputLayout;
    return override?.pageLayout === "row_major"
      ? context.layouts.intern({ ...context.layouts.get(layout), tile: undefined })
      : layout;
  }

  #op(place: number): OpId {
    const op = this.#ops[place];
    if (op === undefined) {
      throw new RangeError(`Cannot look up place ${place} of a chain of ${this.#ops.length}`);
    }
    return op;
  }

  #configs(op: OpId): readonly OpConfig[] {
    return this.#context.shardedConfigs[op] ?? [];
  }
}

/** The first item per distinct attributes, in order. */
function uniqueAttributes<Item extends { readonly attributesKey: string }>(items: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return items.filter(({ attributesKey }) => !seen.has(attributesKey) && seen.add(attributesKey));
}

/** First config index by output layout and attributes. */
function referencesOf(configs: readonly OpConfig[]): ReadonlyMap<string, number> {
  const references = new Map<string, number>();
  configs.forEach((config, index) => {
    const key = `${config.outputLayout}|${attributesKey(config.attributes)}`;
    if (!references.has(key)) references.set(key, index);
  });
  return references;
}
