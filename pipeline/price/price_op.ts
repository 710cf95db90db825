// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { takesNoTime } from "../../lib/cost/takes_no_time.ts";
import { type LayoutId, type LayoutIds, LayoutTable } from "../../lib/layout/layout_table.ts";
import { makeInterleaved } from "../../lib/layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TileShape, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { BankMemory } from "../../lib/memory/bank_memory.ts";
import { dramRegion } from "../../lib/memory/dram_timeline.ts";
import { l1Bytes } from "../../lib/memory/op_footprint.ts";
import { configKey } from "../../lib/op_config/config_key.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import {
  type FailureClass,
  type InvalidConstraints,
  isView,
  type OpModel,
  type OutputHint,
  type ValidConstraints,
} from "../../lib/opmodel/op_model.ts";
import { allocatedBytesPerBank } from "../../lib/opmodel/tensor.ts";
import type { OperandRole } from "../../lib/ops/definition.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import { entryForOperand } from "../../lib/ops/operand_groups.ts";
import { LayoutCatalog } from "../../lib/search/layout_catalog.ts";
import type { Models } from "../load.ts";
import { createCostModel } from "../../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";

/**
 * Most op-model queries for one op and device; for ops with more candidates, fewer shardings of operands are
 * tried.
 */
const MOST_QUESTIONS = 12_000;

/** Makes the layout that a user fixes for a tensor on a chip. */
export type FixedLayout = (tensor: TensorShape, chip: OpModel["chip"]) => TtnnLayout;

/** An op to price. */
export interface PriceRequest {
  readonly op: OpSignature;
  /** Fixed layouts per operand; `undefined` tries all. */
  readonly inputs: readonly (FixedLayout | undefined)[];
  /** Layout that the first result must have; `undefined` tries all. */
  readonly output: FixedLayout | undefined;
}

/** A legal candidate of an op, with its price. */
export interface PricedImpl {
  readonly inputs: readonly (TtnnLayout | undefined)[];
  readonly outputs: readonly (TtnnLayout | undefined)[];
  /** Config that the op runs with; `undefined` if it takes none or leaves it to the backend. */
  readonly config: OpSpecificAttributes | undefined;
  /** Device time plus launch in µs, with its terms. */
  readonly estimate: RuntimeEstimate;
  /** Bytes per core of operands in L1. */
  readonly operandL1Bytes: number;
  /** Most bytes per core of the op's own circular buffers, intermediates and results. */
  readonly l1PeakBytes: number;
  /** Whether a hint of the op's rule names it; no policy queries a legal candidate without a hint. */
  readonly hinted: boolean;
}

/** Candidates that are refused for one reason. */
export interface RefusedImpls {
  readonly rule: string;
  readonly failure: FailureClass;
  /** Source of the rule, a key of docs/sources.md. */
  readonly source: string;
  readonly count: number;
  /** Message of the first refusal. */
  readonly message: string;
}

/** All tried candidates of an op on a device. */
export interface PriceList {
  readonly device: Device;
  /** Fastest first; equal times in the order of L1 per core, then of the trial. */
  readonly impls: readonly PricedImpl[];
  /** Most frequent first. */
  readonly refused: readonly RefusedImpls[];
  /** Number of op-model queries: combinations of operand layouts, result hints and configs. */
  readonly questions: number;
  /** Whether every sharding that a policy may choose was tried for every operand except weights. */
  readonly exhaustive: boolean;
}

/** The models for plans on a device; they refuse everything that no plan may do. */
export function planningModels(device: Device): Models {
  const chip = chipDescription(device);
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip, layouts, asWritten: true });
  return { opModel, cost: createCostModel({ device, layouts, opModel }) };
}

/**
 * Tries the candidates of one op: operands and result in DRAM or L1, interleaved or sharded, with the configs
 * that policies offer and write. Prices those that the op model accepts. Weights, masks, caches and indices
 * stay in DRAM unless their layout is given. Operands and the op's own peak must fit into L1 together,
 * operands and results into DRAM.
 *
 * @throws {LayoutError} if a given layout cannot exist on the device
 */
export function priceImpls(
  { op, inputs, output }: PriceRequest,
  device: Device,
  { opModel, cost }: Models = planningModels(device),
): PriceList {
  const { chip, layouts } = opModel;
  const catalog = new LayoutCatalog(chip, layouts, {
    maxLegalLayouts: 64,
    maxReshardCandidatesPerType: 64,
    enableL1ShardingLayouts: true,
    rowMajorEnabled: false,
  });
  const fixed = (make: FixedLayout | undefined, tensor: TensorShape | undefined): LayoutId | undefined =>
    make === undefined || tensor === undefined ? undefined : layouts.intern(make(tensor, chip));
  const [result] = op.results;
  const wanted = fixed(output, result);
  const hints = hintsOf(op, wanted, opModel, catalog);
  const offered = op.operands.map((tensor, operand): LayoutIds => {
    const given = fixed(inputs[operand], tensor);
    if (tensor === undefined || given !== undefined) return [given];
    return operandLayouts(op, operand, tensor, opModel, catalog);
  });
  const { candidates, exhaustive } = withinLimit(offered, hints.length, layouts);

  const trials = new ImplTrials(op, opModel, cost);
  for (const operandLayouts of product(candidates)) {
    for (const { isNamed, ...hint } of hints) trials.ask(operandLayouts, hint, isNamed, wanted);
  }
  return {
    device,
    impls: trials.impls(),
    refused: trials.refused(),
    questions: trials.questions,
    exhaustive,
  };
}

/** The tried candidates of an op: accepted ones with their prices, refused ones by reason. */
class ImplTrials {
  readonly #op: OpSignature;
  readonly #opModel: OpModel;
  readonly #cost: CostModel;
  readonly #impls: Map<string, PricedImpl> = new Map();
  readonly #refused: Map<string, RefusedImpls> = new Map();
  questions = 0;

  constructor(op: OpSignature, opModel: OpModel, cost: CostModel) {
    this.#op = op;
    this.#opModel = opModel;
    this.#cost = cost;
  }

  /**
   * @param hinted whether the op's rule has the hint
   * @param wanted layout that the first result must have; `undefined` for any
   */
  ask(inputs: LayoutIds, hint: OutputHint, hinted: boolean, wanted: LayoutId | undefined): void {
    this.questions++;
    const { layouts } = this.#opModel;
    const operandL1Bytes = inputs.reduce<number>((sum, id) => sum + l1Bytes(layouts, id), 0);
    const answer = this.#opModel.queryOpConstraints(
      this.#op,
      inputs,
      hint.layout,
      hint.config,
      operandL1Bytes,
    );
    if (answer.status === "invalid") return count(this.#refused, answer);
    if (wanted !== undefined && answer.outputLayouts[0] !== wanted) return;
    const missing = this.#missingDram(inputs, answer);
    if (missing > 0) {
      const message =
        `${this.#op.name}: ${missing} bytes per bank are missing in DRAM for operands and results`;
      return count(this.#refused, {
        failure: "out_of_memory",
        rule: "memory/dram",
        source: "tt-metal:allocator",
        message,
      });
    }
    const config = answer.config ?? hint.config;
    const key = implKey(inputs, answer.outputLayouts, config);
    // Hints of the rule come first.
    if (this.#impls.has(key)) return;
    this.#impls.set(key, { ...this.#price(answer, inputs, hint.config), config, operandL1Bytes, hinted });
  }

  /**
   * Bytes by which operands and results, allocated one after the other, exceed a bank of DRAM; 0 if they fit.
   */
  #missingDram(inputs: LayoutIds, { outputLayouts, aliasedOperand }: ValidConstraints): number {
    const { chip, layouts } = this.#opModel;
    const { base, top, alignment } = dramRegion(chip);
    const memory = new BankMemory(base, top, alignment, "bottom_up");
    const made = outputLayouts.slice(aliasedOperand === undefined ? 0 : 1);
    const results = this.#op.results.slice(aliasedOperand === undefined ? 0 : 1);
    const tensors = [...this.#op.operands, ...results];
    return [...inputs, ...made].reduce<number>((missing, id, tensor) => {
      const shape = tensors[tensor]?.shape;
      if (id === undefined || shape === undefined || layouts.get(id).bufferType !== "dram") return missing;
      return missing + memory.place(tensor, allocatedBytesPerBank({ shape, layout: layouts.get(id) }, chip));
    }, 0);
  }

  #price(
    answer: ValidConstraints,
    inputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
  ): Omit<PricedImpl, "operandL1Bytes" | "config" | "hinted"> {
    const { outputLayouts, l1PeakBytes } = answer;
    const { layouts } = this.#opModel;
    const estimate = this.#cost.getOpRuntime(this.#op, inputs, outputLayouts, config);
    const isFree = takesNoTime(this.#op, isView(answer));
    const read = (id: LayoutId | undefined) => id === undefined ? undefined : layouts.get(id);
    return {
      inputs: inputs.map(read),
      outputs: outputLayouts.map(read),
      estimate: isFree ? { ...estimate, microseconds: 0, cores: 0 } : estimate,
      l1PeakBytes,
    };
  }

  /** Fastest first; equal times in the order of L1 per core, then of the trial. */
  impls(): readonly PricedImpl[] {
    return [...this.#impls.values()].sort((a, b) =>
      a.estimate.microseconds - b.estimate.microseconds ||
      a.operandL1Bytes + a.l1PeakBytes - b.operandL1Bytes - b.l1PeakBytes
    );
  }

  /** Most frequent first. */
  refused(): readonly RefusedImpls[] {
    return [...this.#refused.values()].sort((a, b) => b.count - a.count);
  }
}

function implKey(inputs: LayoutIds, outputs: LayoutIds, config: OpSpecificAttributes | undefined): string {
  return `${inputs.join()}>${outputs.join()}>${config === undefined ? "" : configKey(config)}`;
}

/** A hint, and whether the op's rule has it. */
type PricedHint = OutputHint & { readonly isNamed: boolean };

/**
 * Hints to query, each once: those of the op's rule, then every legal result layout, then the backend's choice.
 */
function hintsOf(
  op: OpSignature,
  wanted: LayoutId | undefined,
  opModel: OpModel,
  catalog: LayoutCatalog,
): readonly PricedHint[] {
  const [result] = op.results;
  const legal = wanted !== undefined
    ? [wanted]
    : result === undefined || result.shape.length === 0
    ? []
    : catalog.legalOutputs(result, dramLayout(result, DEFAULT_TILE));
  // Ops that policies do not move run as written.
  if (!opModel.traits(op).movable) return [{ layout: legal[0], config: undefined, isNamed: true }];
  const { primary, fallback } = opModel.outputHints(op, legal);
  const named = [...primary, ...fallback].map((hint): PricedHint => ({ ...hint, isNamed: true }));
  // After the fallback hints, searches query interleaved results.
  const isAsked = (layout: LayoutId | undefined): boolean =>
    fallback.length > 0 && layout !== undefined && !isSharded(opModel.layouts.get(layout));
  const plain = [...legal, undefined].map((layout): PricedHint => ({
    layout,
    config: undefined,
    isNamed: isAsked(layout),
  }));
  const distinct = new Map<string, PricedHint>();
  for (const hint of [...named, ...plain]) {
    const key = `${hint.layout ?? ""} ${hint.config === undefined ? "" : configKey(hint.config)}`;
    if (!distinct.has(key)) distinct.set(key, hint);
  }
  return [...distinct.values()];
}

/** Layouts to try for an operand: interleaved ones first, then by descending number of shards. */
function operandLayouts(
  op: OpSignature,
  operand: number,
  tensor: TensorShape,
  opModel: OpModel,
  catalog: LayoutCatalog,
): readonly LayoutId[] {
  const definition = definitionOf(op.name);
  const role = entryForOperand<OperandRole>(definition.roles, op, operand) ?? "activation";
  const { layouts } = opModel;
  const tiled = layouts.intern(dramLayout(tensor, DEFAULT_TILE));
  const isScalar = tensor.shape.length === 0;
  if (!definition.movable || isScalar) return [tiled];
  // Indices are row-major; ops that need tiles refuse them.
  if (role === "index") return [layouts.intern(dramLayout(tensor, undefined)), tiled];
  // A model's convolution weights are row-major: their kernels would fill little of a tile.
  if (role === "weight" && definition.costClass === "conv2d") {
    return [layouts.intern(dramLayout(tensor, undefined))];
  }
  if (role !== "activation") return [tiled];
  const interleaved = catalog.legalOutputs(tensor, layouts.get(tiled)).filter((id) =>
    !isSharded(layouts.get(id))
  );
  return [...interleaved, ...catalog.reshardTargets(tensor, tiled)]
    .filter((id) => opModel.acceptsInput(op, operand, id));
}

function dramLayout(tensor: TensorShape, tile: TileShape | undefined): TtnnLayout {
  return makeInterleaved("dram", { ...tensor, tile }, { rows: 1, columns: 1 });
}

/** The largest number of shardings per kind that keeps the queries below the limit. */
function withinLimit(
  offered: readonly (LayoutIds)[],
  hints: number,
  layouts: LayoutTable,
): { readonly candidates: readonly (LayoutIds)[]; readonly exhaustive: boolean } {
  for (let perKind = 64; perKind > 0; perKind--) {
    const candidates = offered.map((list) => firstOfEachKind(list, perKind, layouts));
    const questions = candidates.reduce((total, list) => total * list.length, hints);
    if (questions <= MOST_QUESTIONS || perKind === 1) {
      return {
        candidates,
        exhaustive: candidates.every((list, index) => list.length === offered[index]?.length),
      };
    }
  }
  return { candidates: offered, exhaustive: true };
}

function firstOfEachKind(list: LayoutIds, perKind: number, layouts: LayoutTable): LayoutIds {
  const taken = new Map<string, number>();
  return list.filter((id) => {
    const memoryLayout = id === undefined ? undefined : layouts.get(id).memoryLayout;
    if (memoryLayout === undefined || memoryLayout === "interleaved") return true;
    const before = taken.get(memoryLayout) ?? 0;
    taken.set(memoryLayout, before + 1);
    return before < perKind;
  });
}

function* product<Item>(lists: readonly (readonly Item[])[]): Generator<readonly Item[]> {
  const [first, ...rest] = lists;
  if (first === undefined) return void (yield []);
  for (const item of first) for (const others of product(rest)) yield [item, ...others];
}

function count(
  refused: Map<string, RefusedImpls>,
  { rule, failure, source, message }: Pick<InvalidConstraints, "rule" | "failure" | "source" | "message">,
): void {
  const cached = refused.get(rule);
  refused.set(
    rule,
    cached === undefined
      ? { rule, failure, source, count: 1, message }
      : { ...cached, count: cached.count + 1 },
  );
}
