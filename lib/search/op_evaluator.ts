// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { GraphFunction, OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { type OpFootprint, opFootprint } from "../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import {
  type HintConfigs,
  isView,
  type OpModel,
  type OutputHint,
  type ValidConstraints,
} from "../opmodel/op_model.ts";
import { signatureKey } from "../opmodel/structural_key.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OptimizerOverrides } from "../overrides/overrides.ts";
import { keepingActivation } from "../plan/live_activations.ts";
import { FunctionModel } from "./function_model.ts";
import { type Hints, OpHints } from "./hints.ts";
import { isWideJoin, mixesKinds } from "./joins.ts";
import { type CandidateLimits, LayoutCatalog, type LayoutFacts } from "./layout_catalog.ts";
import { OverriddenOps } from "./op_overrides.ts";
import { type Reshard, Reshards } from "./reshards.ts";
import { ordinal, type RunKey, RunKeys } from "./run_keys.ts";
import { UnpricedImpl } from "./unpriced_impl.ts";
import { type Choice, type OpImpl, type OutputChoice, readsBefore } from "./impls.ts";
import { WorkAccount } from "./work_account.ts";

/** Cached facts of all ops with equal answers. */
interface Structure {
  readonly id: number;
  /** Signature of the first such op. */
  readonly signature: OpSignature;
  readonly impls: Map<number | string, readonly OpImpl[]>;
  readonly runs: Map<RunKey, CachedRun>;
  /** The hints as the rule offers them, and as they are tried. */
  offered: Hints | undefined;
  hints: Hints | undefined;
}

/** How an op uses L1 with given layouts, and how long it takes. */
export interface OpRun {
  readonly footprint: OpFootprint;
  /** Predicted time in µs, as the simulator prices it. */
  readonly microseconds: number;
}

/** The cached parts of {@linkcode OpRun}. */
interface CachedRun {
  readonly footprint: OpFootprint;
  microseconds: number | undefined;
}

const NO_IMPLS: readonly OpImpl[] = [];

/** Buffer types of the ladder, which is tried after the hints. */
const LADDER = ["l1", "dram"] as const;

/**
 * Queries op model and cost model about the ops of one function and caches every answer, failures included,
 * under structural keys: a repeated layer causes no new queries. Policies that are compared on one function
 * share one evaluator.
 */
export class OpEvaluator extends FunctionModel {
  readonly hasLadder = true;
  readonly cost: CostModel;
  readonly limits: CandidateLimits;
  readonly catalog: LayoutCatalog;
  /** The user's requirements on single ops. */
  readonly overrides: OverriddenOps;
  /** Account that searches on this function charge their work to. */
  readonly work: WorkAccount;
  /** The hints with which ops are queried. */
  readonly hints: OpHints;
  readonly #structures: readonly Structure[];
  readonly #runKeys: RunKeys = new RunKeys();
  readonly #outputsIds: Map<LayoutId | string | undefined, number> = new Map();
  readonly #reshards: Reshards;

  /**
   * @param work account, possibly shared by several functions
   * @param hintConfigs op configs with which implementations are queried
   * @throws {DiagnosticError} when an override cannot be followed
   */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    cost: CostModel,
    limits: CandidateLimits & { readonly overrides?: OptimizerOverrides | undefined },
    work: WorkAccount = new WorkAccount(opModel),
    hintConfigs: HintConfigs = "upstream",
  ) {
    super(fn, opModel);
    this.work = work;
    this.cost = cost;
    this.limits = limits;
    this.catalog = new LayoutCatalog(opModel.chip, opModel.layouts, limits);
    this.#reshards = new Reshards(this, cost);
    this.overrides = new OverriddenOps(this, this.catalog, limits, limits.overrides);
    this.hints = new OpHints(this, this.catalog, limits, this.overrides, hintConfigs);
    const cached = new Map<string, Structure>();
    this.#structures = fn.ops.map(({ id: op }) => {
      const signature = this.signature(op);
      const key = `${signatureKey(signature)}|${this.asInput(op).outputs.join()}|${this.hints.keyOf(op)}`;
      let structure = cached.get(key);
      if (structure === undefined) {
        const id = cached.size;
        structure = {
          id,
          signature,
          impls: new Map(),
          runs: new Map(),
          offered: undefined,
          hints: undefined,
        };
        cached.set(key, structure);
      }
      return structure;
    });
  }

  #structureOf(op: OpId): Structure {
    const structure = this.#structures[op];
    if (structure === undefined) {
      throw new RangeError(`Cannot ask about op ${op}: @${this.fn.name} has no such op`);
    }
    return structure;
  }

  /** Equal for ops that get equal answers here: same signature, declared results and override, same kind of hints. */
  structureId(op: OpId): number {
    return this.#structureOf(op).id;
  }

  facts(id: LayoutId): LayoutFacts {
    return this.catalog.facts(id);
  }

  /** How a tensor can be moved from one layout to another; `undefined` if it cannot. */
  reshard(tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    return this.#reshards.find(tensor, from, to);
  }

  /** µs of moving a tensor from one layout to another; `Infinity` if it cannot be moved. */
  reshardMicroseconds(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.#reshards.find(tensor, from, to)?.microseconds ?? Infinity;
  }

  /** µs of one copy between two layouts; `Infinity` if no single op can make it. */
  copyMicroseconds(value: ValueId, from: LayoutId, to: LayoutId): number {
    const { tensor } = this.value(value);
    const reshard = tensor === undefined ? undefined : this.reshard(tensor, from, to);
    return reshard === undefined || reshard.via !== undefined ? Infinity : reshard.microseconds;
  }

  /** How one direct move uses L1. */
  reshardFootprint(tensor: TensorShape, from: LayoutId, to: LayoutId): OpFootprint {
    return this.#reshards.footprint(tensor, from, to);
  }

  /** L1 bytes per core of several layouts. */
  l1Bytes(layouts: LayoutIds): number {
    return layouts.reduce<number>((sum, id) => sum + (id === undefined ? 0 : this.facts(id).l1Bytes), 0);
  }

  /** L1 bytes per core of an op's operands; a value that it reads twice in one layout is one buffer. */
  operandL1Bytes(op: OpId, inputs: LayoutIds): number {
    const { operands } = this.op(op);
    let bytes = 0;
    for (let operand = 0; operand < inputs.length; operand++) {
      const layout = inputs[operand];
      if (layout === undefined) continue;
      const { l1Bytes } = this.facts(layout);
      if (l1Bytes > 0 && !readsBefore(operands, inputs, operand)) bytes += l1Bytes;
    }
    return bytes;
  }

  /**
   * All legal implementations of an op with the given operand layouts: those of primary hints; of fallback
   * hints if no primary one gave a sharded result; then of L1 interleaved and DRAM interleaved, if no override
   * names the hints and there are fallback hints or nothing was found. One per distinct pair of result layouts
   * and config; empty if nothing is legal, and for a wide join of operands in different memory layouts.
   */
  impls(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    // A query to a join of hundreds of operands is expensive, and a search would make one per operand and layout.
    if (inputs.length > 2 && isWideJoin(this, op) && mixesKinds(this, inputs)) return NO_IMPLS;
    const memo = this.#structureOf(op).impls;
    const key = inputs.length <= 2 ? ordinal(inputs[0]) * 0x100000 + ordinal(inputs[1]) : inputs.join(",");
    let found = memo.get(key);
    if (found === undefined) {
      found = this.#explore(op, inputs);
      memo.set(key, found);
    }
    return found;
  }

  #explore(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    const { primary, fallback } = this.#hintsOf(op);
    const fixesResult = this.overrides.fixesResult(op);
    const found: OpImpl[] = [];
    const seen = new Set<RunKey>();
    // Most hints of a convolution get the same answer as an earlier one.
    const priced = new Map<ValidConstraints, Map<OpSpecificAttributes | undefined, OpImpl>>();
    const attempt = (hint: OutputHint): boolean => {
      const answer = this.#followed(op, inputs, hint);
      if (answer === undefined) return false;
      let impls = priced.get(answer);
      if (impls === undefined) priced.set(answer, impls = new Map());
      let impl = impls.get(hint.config);
      const isNew = impl === undefined;
      if (impl === undefined) impls.set(hint.config, impl = this.#implOf(op, inputs, hint.config, answer));
      if (fixesResult && impl.outputs[0] !== hint.layout) return false;
      const key = isNew || fixesResult ? this.#runKeys.of([], impl) : undefined;
      if (key !== undefined && !seen.has(key)) {
        seen.add(key);
        found.push(impl);
      }
      const first = impl.outputs[0];
      return first !== undefined && this.facts(first).isSharded;
    };
    let gotSharded = false;
    for (const hint of primary) gotSharded = attempt(hint) || gotSharded;
    if (!gotSharded) { for (const hint of fallback) attempt(hint); }
    const free = this.overrides.hintsOf(op) === undefined;
    if (free && (fallback.length > 0 || found.length === 0)) {
      const [result] = this.signature(op).results;
      const like = this.declaredOutput(op);
      if (result !== undefined && like !== undefined) {
        for (const buffer of LADDER) {
          if (buffer === "l1" && !this.limits.enableL1ShardingLayouts) continue;
          attempt({ layout: this.interleaved(result, like, buffer), config: undefined });
        }
      }
    }
    return found;
  }

  /**
   * The answer to a hint as a written program would get it: a program declares its result layout. If the
   * answer to a hint without config is a sharded layout other than the hint's, that layout is queried again as a
   * hint and must come out again; `undefined` otherwise.
   */
  #asDeclared(
    signature: OpSignature,
    inputs: LayoutIds,
    { layout, config }: OutputHint,
  ): ValidConstraints | undefined {
    const answer = this.opModel.queryOpConstraints(signature, inputs, layout, config);
    if (answer.status !== "valid") return undefined;
    const [made] = answer.outputLayouts;
    if (made === undefined || made === layout || !this.facts(made).isSharded || config !== undefined) {
      return answer;
    }
    const again = this.opModel.queryOpConstraints(signature, inputs, made, config);
    return again.status === "valid" && again.outputLayouts[0] === made ? again : undefined;
  }

  /**
   * The implementation that a hint gives, as a written program would get it ({@linkcode impls} of one hint);
   * `undefined` if there is none.
   */
  impl(op: OpId, inputs: LayoutIds, hint: OutputHint): OpImpl | undefined {
    const answer = this.#followed(op, inputs, hint);
    return answer === undefined ? undefined : this.#implOf(op, inputs, hint.config, answer);
  }

  /** The answer to a hint as a written program would get it; `undefined` also if an override forbids it. */
  #followed(op: OpId, inputs: LayoutIds, hint: OutputHint): ValidConstraints | undefined {
    const { signature } = this.#structureOf(op);
    if (this.opModel.mayFollow?.(signature, inputs, hint.layout, hint.config) === false) return undefined;
    const answer = this.#asDeclared(signature, inputs, hint);
    return answer !== undefined && this.overrides.allowMemory(op, inputs, answer.outputLayouts)
      ? answer
      : undefined;
  }

  /**
   * One query to the op model; `undefined` if it refuses, or an override forbids the answer. A program that
   * declares the result may get another one, unless it equals the hint; see {@linkcode impl}.
   */
  query(
    op: OpId,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpImpl | undefined {
    const { signature } = this.#structureOf(op);
    if (this.opModel.mayFollow?.(signature, inputs, hint, config) === false) return undefined;
    const answer = this.opModel.queryOpConstraints(signature, inputs, hint, config);
    return answer.status === "valid" && this.overrides.allowMemory(op, inputs, answer.outputLayouts)
      ? this.#implOf(op, inputs, config, answer)
      : undefined;
  }

  /**
   * The same implementation of a convolution without freeing its activation; `undefined` if it frees none, if
   * the op model refuses it, or if an override fixes its config.
   */
  keepingActivation(op: OpId, inputs: LayoutIds, { outputs: [result], config }: OpImpl): OpImpl | undefined {
    const kept = config === undefined ? undefined : keepingActivation(config);
    if (kept === undefined || this.overrides.isOverridden(op)) return undefined;
    this.work.charge("exploredResult", 1);
    return this.impl(op, inputs, { layout: result, config: kept });
  }

  /** Why the op model refuses an op with these operands and this hint; `undefined` if it accepts. */
  refusal(op: OpId, inputs: LayoutIds, hint: LayoutId | undefined): string | undefined {
    const { signature } = this.#structureOf(op);
    const answer = this.opModel.queryOpConstraints(signature, inputs, hint, undefined);
    return answer.status === "valid" ? undefined : `${answer.message} [${answer.rule}, ${answer.source}]`;
  }

  #implOf(
    op: OpId,
    inputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
    answer: ValidConstraints,
  ): OpImpl {
    const outputs = this.inDeclaredFormats(op, answer.outputLayouts);
    // A query for exactly these results and this config launches the same programs, so they can be priced
    // directly.
    const isAsMade = outputs === answer.outputLayouts;
    return new UnpricedImpl(
      {
        outputs,
        outputsId: this.outputsId(outputs),
        config,
        cores: answer.cores,
        l1PeakBytes: answer.l1PeakBytes,
        outputL1Bytes: answer.outputL1Bytes,
        aliasedOperand: answer.aliasedOperand,
      },
      () =>
        this.#price(
          op,
          isView(answer),
          ({ cost }, signature) =>
            (isAsMade ? cost.launchedMicroseconds?.(answer.programs) : undefined) ??
              cost.getOpRuntime(signature, inputs, outputs, config).microseconds,
        ),
    );
  }

  /** µs that the op occupies the device; 0 for views. */
  #price(
    op: OpId,
    isView: boolean,
    microsecondsOf: (evaluator: this, signature: OpSignature) => number,
  ): number {
    const { signature } = this.#structureOf(op);
    this.work.chargePrice(signature.operands.length);
    return takesNoTime(signature, isView) ? 0 : microsecondsOf(this, signature);
  }

  /** A small integer that identifies a list of result layouts. */
  outputsId(outputs: LayoutIds): number {
    const key = outputs.length === 1 ? outputs[0] : outputs.join();
    let id = this.#outputsIds.get(key);
    if (id === undefined) this.#outputsIds.set(key, id = this.#outputsIds.size);
    return id;
  }

  /**
   * The hints that an op's rule offers for its legal results, primary and fallback; empty for ops without a
   * result.
   */
  offeredHints(op: OpId): Hints {
    return this.#structureOf(op).offered ??= this.hints.offered(op);
  }

  #hintsOf(op: OpId): Hints {
    const required = this.overrides.hintsOf(op);
    if (required !== undefined) return { primary: required, fallback: [] };
    const structure = this.#structureOf(op);
    return structure.hints ??= this.hints.tried(op, this.offeredHints(op));
  }

  /** Predicted time of an op in µs, as the simulator prices it. */
  runtime(op: OpId, inputs: LayoutIds, chosen: OutputChoice): number {
    return this.#runtime(op, inputs, chosen, this.#runKeys.of(inputs, chosen));
  }

  /** As {@linkcode runtime}, for a choice that is looked up repeatedly. */
  choiceRuntime(op: OpId, choice: Choice): number {
    return this.#runtime(op, choice.inputs, choice, this.#runKeys.ofChoice(choice));
  }

  #runtime(op: OpId, inputs: LayoutIds, chosen: OutputChoice, key: RunKey): number {
    const run = this.#runOf(op, inputs, chosen, key);
    return run.microseconds ??= this.#priceRun(op, inputs, chosen, run.footprint);
  }

  #priceRun(
    op: OpId,
    inputs: LayoutIds,
    { outputs, config }: OutputChoice,
    { isView }: OpFootprint,
  ): number {
    return this.#price(
      op,
      isView,
      ({ cost }, signature) => cost.getOpRuntime(signature, inputs, outputs, config).microseconds,
    );
  }

  /** How an op uses L1 with given layouts. */
  footprint(op: OpId, inputs: LayoutIds, chosen: OutputChoice): OpFootprint {
    return this.#runOf(op, inputs, chosen, this.#runKeys.of(inputs, chosen)).footprint;
  }

  /** Both {@linkcode footprint} and {@linkcode runtime}. */
  run(op: OpId, inputs: LayoutIds, chosen: OutputChoice): OpRun {
    const run = this.#runOf(op, inputs, chosen, this.#runKeys.of(inputs, chosen));
    const { footprint } = run;
    return { footprint, microseconds: run.microseconds ??= this.#priceRun(op, inputs, chosen, footprint) };
  }

  #runOf(op: OpId, inputs: LayoutIds, chosen: OutputChoice, key: RunKey): CachedRun {
    const { runs, signature } = this.#structureOf(op);
    let run = runs.get(key);
    if (run === undefined) {
      const footprint = opFootprint(this.opModel, signature, inputs, chosen.outputs, chosen.config);
      runs.set(key, run = { footprint, microseconds: undefined });
    }
    return run;
  }

  /** A small integer, equal for choices with equal operand layouts, result layouts and configs. */
  choiceId(choice: Choice): number {
    return this.#runKeys.idOf(choice);
  }
}
