// SPDX-License-Identifier: Apache-2.0
import {
  type ChipDescription,
  DEFAULT_L1_CAP,
  usableL1Bytes,
  workerCores,
} from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { configKey, effectiveConfig } from "../op_config/config_key.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";
import { entryForOperand } from "../ops/operand_groups.ts";
import { launchPrograms } from "../programs/launch.ts";
import {
  emptyRoom,
  FULL_RUN,
  type L1Room,
  PROGRAM_RULES,
  type ProgramRules,
  type RunAssumptions,
} from "../programs/op_launch.ts";
import { type OpPrograms, unknownPrograms } from "../programs/program.ts";
import { type ProgramTensor, programTensor } from "../programs/program_tensor.ts";
import { relayout } from "../programs/relayout.ts";
import type { Candidate, CandidateFilter } from "./candidate_filter.ts";
import { type CachedSignature, HintsAsRead, type OperandsAsRead, SignatureCache } from "./signature_cache.ts";
import {
  checkOperands,
  isUnwritable,
  LayoutChecks,
  refuseUnwritable,
  writtenLayout,
} from "./layout_checks.ts";
import {
  FEW_OPERANDS,
  type HintConfigs,
  type InvalidConstraints,
  type OpConstraints,
  type OpModel,
  type OpModelStatistics,
  type OutputHint,
  type OutputHints,
} from "./op_model.ts";
import { outputHintsOf } from "./output_hints.ts";
import { QueryCache } from "./query_cache.ts";
import { acceptsLayout, type ConstraintQuery, type RuleContext } from "./rule.ts";
import type { Tensor } from "./tensor.ts";
import {
  accept,
  outOfMemory,
  refuse,
  refuseLayout,
  type RuleAnswer,
  UnlaunchedAnswer,
  withPrograms,
} from "./verdict.ts";

/** Settings of an op model. */
export interface OpModelOptions {
  /** Chip that the rules and the memory figures are for. */
  readonly chip: ChipDescription;
  /** Table that all layout ids of queries and answers belong to. */
  readonly layouts: LayoutTable;
  /** Share of L1 that may be used, `--tensor-l1-usage-cap`. */
  readonly usableL1Cap?: number;
  /** Bytes per core that const-eval results hold; default 0. */
  readonly reservedL1Bytes?: number;
  /** Facts about a run that no graph states; default {@linkcode FULL_RUN}. */
  readonly assumed?: RunAssumptions;
  /**
   * Whether ops are refused as well that run but cannot be written, because upstream's verifier refuses their text;
   * default true. A compiler that asks has its own verifier.
   */
  readonly checksWrittenText?: boolean;
  /** Axes of the mesh that the chip belongs to; default `[]`, one chip without a mesh. */
  readonly mesh?: Mesh;
  /** Whether the text that plans are written into knows slice configs of convolutions; default true. */
  readonly writesSliceConfig?: boolean;
  /** Whether questions are about ops with the config that a plan writes for them; default `false`, as they are. */
  readonly asWritten?: boolean;
  /** Judges of what the rules take; default none. */
  readonly filters?: readonly CandidateFilter[];
  /**
   * Whether results are as asked where a rule refuses them; default false. For tests of who else judges plans: with rules
   * that accept everything, whatever runs does so because the backend was asked.
   */
  readonly acceptsAll?: boolean;
  /** Programs of the revision that a measurement was made with; default {@linkcode PROGRAM_RULES}. */
  readonly programRules?: ProgramRules;
}

/** What the cache stores per question. */
type CachedAnswer = OpConstraints | UnlaunchedAnswer;

/** An answer, and whether it was kept from before. */
interface AskedConstraints {
  readonly answer: OpConstraints;
  readonly isKnown: boolean;
  /** Whether it is asked for the first time since `countAnew`. */
  readonly isFirst: boolean;
}

/** Marks the end of a key whose operands are given as the rule reads them. */
const AS_READ = -2;

/**
 * Builds the op model: the rule book behind a cache.
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { LayoutTable, makeLayout } from "@tilewright/tilewright/layout";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { createOpModel } from "@tilewright/tilewright/opmodel";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = chipDescription(getDevice("n150"));
 * const layouts = new LayoutTable();
 * const opModel = createOpModel({ chip, layouts });
 * const tensor = { shape: [32, 64], dataType: "bf16" } as const;
 * const relu = {
 *   name: "ttnn.relu",
 *   attributes: new Map(),
 *   operands: [tensor],
 *   operandSegmentSizes: undefined,
 *   results: [tensor],
 * };
 * const dram = layouts.intern(makeLayout({ ...tensor, bufferType: "dram", memoryLayout: "interleaved" }, chip.workerGrid));
 * const answer = opModel.queryOpConstraints(relu, [dram], dram, undefined);
 * assertEquals(answer.status === "valid" && answer.outputLayouts, [dram]);
 * ```
 */
export function createOpModel(options: OpModelOptions): OpModel {
  return new RuleBookOpModel(options);
}

/**
 * Refusals are cached for ops with at most this many operands. A search asks about a join once per operand layout and
 * gets a refusal each time, and a cached question takes memory for every operand.
 */
const MOST_KEPT_OPERANDS = 32;

class RuleBookOpModel implements OpModel {
  readonly chip: ChipDescription;
  readonly layouts: LayoutTable;
  readonly assumed: RunAssumptions;
  readonly #context: RuleContext;
  /** Whether rule or programs have read the room in L1 since this was last cleared. */
  #hasReadRoom = false;
  readonly #layoutChecks: LayoutChecks;
  #cache = new QueryCache<CachedAnswer>();
  readonly #signatures: SignatureCache;
  readonly #configByObject = new WeakMap<OpSpecificAttributes, number>();
  readonly #configByKey = new Map<string, number>();
  readonly #asWritten: boolean;
  readonly #acceptsAll: boolean;
  readonly #filters: readonly CandidateFilter[];
  /** Whether operand layouts that a rule cannot tell apart share an answer. */
  readonly #sharesAnswers: boolean;
  readonly #hintsAsRead: HintsAsRead;
  #queries = 0;
  #hits = 0;
  #firstAsked = 0;
  #furtherOperands = 0;

  constructor(options: OpModelOptions) {
    this.chip = options.chip;
    this.layouts = options.layouts;
    this.assumed = options.assumed ?? FULL_RUN;
    this.#asWritten = options.asWritten ?? false;
    this.#acceptsAll = options.acceptsAll ?? false;
    this.#filters = options.filters ?? [];
    this.#sharesAnswers = this.#filters.every(({ readsAsRule }) => readsAsRule);
    this.#context = {
      chip: options.chip,
      layouts: options.layouts,
      programRules: options.programRules ?? PROGRAM_RULES,
      cores: workerCores(options.chip),
      writesSliceConfig: options.writesSliceConfig ?? true,
      mesh: options.mesh ?? [],
      assumed: this.assumed,
      checksWrittenText: options.checksWrittenText ?? true,
      room: this.#fullRoom,
      usableL1Bytes: usableL1Bytes(
        options.chip,
        options.usableL1Cap ?? DEFAULT_L1_CAP,
        options.reservedL1Bytes ?? 0,
      ),
    };
    this.#layoutChecks = new LayoutChecks(options.chip, options.layouts);
    this.#signatures = new SignatureCache(this.#layoutChecks);
    this.#hintsAsRead = new HintsAsRead(options.layouts, this.#layoutChecks);
  }

  /** An empty L1; notes that an answer depends on it. */
  readonly #fullRoom = (): L1Room => {
    this.#hasReadRoom = true;
    return emptyRoom(this.chip);
  };

  get statistics(): OpModelStatistics {
    return {
      queries: this.#queries,
      hits: this.#hits,
      firstAsked: this.#firstAsked,
      furtherOperands: this.#furtherOperands,
    };
  }

  countAnew(): void {
    this.#cache.countAnew();
  }

  traits(op: OpSignature): OpTraits {
    return this.#signatures.of(op).traits;
  }

  queryOpConstraints(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes: number = 0,
  ): OpConstraints {
    return this.#counted(inputs, this.#constraints(op, inputs, hint, config, extraL1Bytes));
  }

  queryOnce(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpConstraints {
    return this.#counted(inputs, this.#constraints(op, inputs, hint, config, 0, false));
  }

  constraintsInRoom(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    room: L1Room,
  ): OpConstraints {
    this.#queries++;
    this.#firstAsked++;
    const context = { ...this.#context, room: () => room };
    const answer = this.#answer(this.#signatures.of(op), inputs, hint, config, context);
    return answer.status === "unlaunched" ? answer.launched() : answer;
  }

  countAnswered(): void {
    this.#queries++;
    this.#hits++;
  }

  #counted(
    inputs: readonly (LayoutId | undefined)[],
    { answer, isKnown, isFirst }: AskedConstraints,
  ): OpConstraints {
    this.#queries++;
    if (isKnown) this.#hits++;
    if (isFirst) {
      this.#firstAsked++;
      this.#furtherOperands += Math.max(0, inputs.length - FEW_OPERANDS);
    }
    return answer;
  }

  /** @param keeps whether the answer is kept */
  #constraints(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes: number,
    keeps: boolean = true,
  ): AskedConstraints {
    const signature = this.#signatures.of(op);
    const readsSame = this.#pushQuestion(signature, inputs, hint, config, signature.asRead);
    let cached = this.#cache.find();
    if (cached === undefined && readsSame) {
      this.#pushQuestion(signature, inputs, hint, config, undefined);
      cached = this.#cache.find();
    }
    const isKnown = cached !== undefined;
    let isFirst = !keeps || !isKnown || this.#cache.isFirstAsked();
    if (cached === undefined) {
      cached = this.#answer(signature, inputs, hint, config, this.#context);
      // Refusals name their operands, so they are not shared.
      if (readsSame && cached.status !== "invalid") {
        this.#pushQuestion(signature, inputs, hint, config, signature.asRead);
      }
      const isTooLong = cached.status === "invalid" && inputs.length > MOST_KEPT_OPERANDS;
      if (keeps && !isTooLong) {
        this.#cache.add(cached);
        isFirst = this.#cache.isFirstAsked();
      }
    }
    return { answer: this.#withinL1(op, cached, extraL1Bytes), isKnown, isFirst };
  }

  /** The answer, or the refusal because L1 is too small for it. */
  #withinL1(op: OpSignature, answer: CachedAnswer, extraL1Bytes: number): OpConstraints {
    const usable = this.#context.usableL1Bytes;
    let known = answer;
    if (known.status === "unlaunched") {
      if (known.leastL1Bytes + extraL1Bytes > usable) return known.refused(op, extraL1Bytes, usable);
      known = known.launched();
    }
    return known.status === "valid" && known.l1PeakBytes + extraL1Bytes > usable
      ? outOfMemory(op, known, extraL1Bytes, usable)
      : known;
  }

  programs(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    outputs: readonly (LayoutId | undefined)[],
    config: OpSpecificAttributes | undefined,
  ): OpPrograms {
    const { answer } = this.#constraints(op, inputs, outputs[0], config, Number.NEGATIVE_INFINITY);
    const asWritten = answer.status === "valid" &&
      op.results.every((_, result) => answer.outputLayouts[result] === outputs[result]);
    if (asWritten) return { status: "known", programs: answer.programs };
    const signature = this.#signatures.of(op);
    return this.#launch(signature, inputs, outputs, this.#effectiveConfig(signature, config), this.#context);
  }

  writtenConfig(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    output: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpSpecificAttributes | undefined {
    const { definition, rule, ownConfig } = this.#signatures.of(op);
    if (!this.#asWritten || rule.writtenConfig === undefined) return config;
    const operands = checkOperands(op, definition, inputs, this.#layoutChecks);
    if ("status" in operands) return config;
    const hint = output === undefined ? undefined : this.layouts.get(output);
    const asked = effectiveConfig(ownConfig, config);
    const query = { op, operands, hint, hintId: output, config: asked };
    const written = rule.writtenConfig(query, ownConfig, this.#context);
    return written === asked ? config : written;
  }

  freeConfigs(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    output: LayoutId | undefined,
    used: OpSpecificAttributes | undefined,
    room: number,
  ): readonly (readonly OpSpecificAttributes[])[] {
    const { definition, rule } = this.#signatures.of(op);
    if (rule.freeConfigs === undefined) return [];
    const operands = checkOperands(op, definition, inputs, this.#layoutChecks);
    if ("status" in operands) return [];
    const hint = output === undefined ? undefined : this.layouts.get(output);
    const query = { op, operands, hint, hintId: output, config: used };
    return rule.freeConfigs(query, room, this.#context);
  }

  reshardPrograms(tensor: TensorShape, from: LayoutId, to: LayoutId): OpPrograms {
    return relayout(this.#tensor(tensor, from), this.#tensor(tensor, to), this.chip);
  }

  outputHints(op: OpSignature, legalLayouts: readonly LayoutId[], configs?: HintConfigs): OutputHints {
    const signature = this.#signatures.of(op);
    const { primary, fallback } = outputHintsOf(
      signature.strategy.hints,
      op,
      legalLayouts,
      this.#context,
      configs,
    );
    return {
      primary: this.#readDifferently(signature, primary),
      fallback: this.#readDifferently(signature, fallback),
    };
  }

  /** The hints without those that ask the same as an earlier one. */
  #readDifferently(signature: CachedSignature, hints: readonly OutputHint[]): readonly OutputHint[] {
    if (signature.rule.readsOfHint === undefined) return hints;
    const asked = new Map<OpSpecificAttributes | undefined, Set<LayoutId | undefined>>();
    return hints.filter(({ layout, config }) => {
      let layouts = asked.get(config);
      if (layouts === undefined) asked.set(config, layouts = new Set());
      const asRead = layout === undefined ? undefined : this.#hintAsRead(signature, layout);
      const isNew = !layouts.has(asRead);
      layouts.add(asRead);
      return isNew;
    });
  }

  acceptsInput(op: OpSignature, operand: number, layout: LayoutId): boolean {
    const { strategy } = this.#signatures.of(op);
    const filter = entryForOperand(strategy.inputs, op, operand) ?? "any";
    return acceptsLayout(filter, this.layouts.get(layout));
  }

  mayFollow(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): boolean {
    const { rule } = this.#signatures.of(op);
    if (rule.mayFollow === undefined) return true;
    const layoutOf = (id: LayoutId | undefined) => id === undefined ? undefined : this.layouts.get(id);
    return rule.mayFollow({ layout: layoutOf(hint), config }, inputs.map(layoutOf));
  }

  operandAsRead(op: OpSignature, operand: number, layout: LayoutId, hint: LayoutId): LayoutId {
    return this.#signatures.of(op).asRead?.of(operand, layout, hint) ?? layout;
  }

  exploresReshards(op: OpSignature, operand: number): boolean {
    return operand < op.operands.length && this.#signatures.of(op).strategy.exploresReshards;
  }

  forgetAnswers(): void {
    this.#cache = new QueryCache();
  }

  /**
   * Writes a question as a cache key.
   *
   * @param asRead gives the same key to questions that the rule reads the same
   * @returns whether other questions may have the same key
   */
  #pushQuestion(
    signature: CachedSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    asRead: OperandsAsRead | undefined,
  ): boolean {
    const cache = this.#cache;
    cache.begin();
    cache.push(signature.id);
    cache.push(hint === undefined ? -1 : this.#hintAsRead(signature, hint));
    cache.push(config === undefined ? -1 : this.#configId(config));
    const readsSame = hint !== undefined && asRead !== undefined && this.#sharesAnswers;
    for (let index = 0; index < inputs.length; index++) {
      const input = inputs[index];
      cache.push(input === undefined ? -1 : readsSame ? asRead.of(index, input, hint) : input);
    }
    if (readsSame) cache.push(AS_READ);
    return readsSame;
  }

  /** The answer to a question that is not in the cache. */
  #answer(
    signature: CachedSignature,
    inputs: readonly (LayoutId | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    context: RuleContext,
  ): CachedAnswer {
    const { op, definition } = signature;
    const operands = checkOperands(op, definition, inputs, this.#layoutChecks);
    return "status" in operands
      ? operands
      : this.#evaluate(signature, inputs, operands, hint, config, context);
  }

  #evaluate(
    signature: CachedSignature,
    inputs: readonly (LayoutId | undefined)[],
    operands: readonly (Tensor | undefined)[],
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    context: RuleContext,
  ): CachedAnswer {
    const { op, definition, rule } = signature;
    const hintLayout = hint === undefined ? undefined : this.layouts.get(hint);
    if (hint !== undefined && definition.movable) {
      const fault = this.#layoutChecks.fault(hint);
      if (fault !== undefined) {
        return refuse(
          fault.failure,
          fault.rule,
          `${op.name}: output hint ${fault.message}`,
          fault.source,
        );
      }
    }
    const effective = this.#effectiveConfig(signature, config);
    return this.#unlessImpossible(op, () => {
      const asked = { op, operands, hint: hintLayout, hintId: hint, config: effective };
      const query = this.#asWritten && rule.writtenConfig !== undefined
        ? { ...asked, config: rule.writtenConfig(asked, signature.ownConfig, context) }
        : asked;
      this.#hasReadRoom = false;
      const ruling = rule.evaluate(query, context);
      const answer = ruling.status === "invalid" ? this.#asAsked(query, context) ?? ruling : ruling;
      const ruleReadsRoom = this.#hasReadRoom;
      if (answer.status === "valid" && answer.outputs.length !== op.results.length) {
        const made = answer.outputs.length;
        return refuse(
          "unsupported_config",
          "result/count",
          `${op.name} makes ${made} results and is asked for ${op.results.length}`,
          "op definition (ttnn dialect)",
        );
      }
      if (answer.status === "invalid") return answer;
      const words = this.#filtered({
        op,
        inputs: operands.map((operand) => operand?.layout),
        outputs: answer.outputs.map((output) => output?.layout),
        config: query.config,
        ...context,
      });
      if (words !== undefined) return refuse("unsupported_layout", "backend/refused", `${op.name}: ${words}`);
      const unwritable = context.checksWrittenText ? answer.outputs.find(isUnwritable) : undefined;
      if (unwritable !== undefined) {
        const refusal = refuseUnwritable(op, unwritable);
        return unwritable === answer.outputs[0]
          ? { ...refusal, written: this.layouts.intern(writtenLayout(unwritable)) }
          : refusal;
      }
      const complete = (): OpConstraints => {
        this.#hasReadRoom = ruleReadsRoom;
        const outputs = answer.outputs.map((output) => output?.layoutId);
        const launched = answer.launched?.() ??
          this.#launch(signature, inputs, outputs, answer.config ?? query.config, context);
        return launched.status === "unknown"
          ? refuse("not_implemented", "programs/unknown", launched.reason, "the program factories")
          : withPrograms(answer, launched, context, this.#hasReadRoom);
      };
      const leastL1Bytes = answer.allocatedL1Bytes;
      return leastL1Bytes > this.#context.usableL1Bytes
        ? new UnlaunchedAnswer(leastL1Bytes, () => this.#unlessImpossible(op, complete))
        : complete();
    });
  }

  /**
   * The results that are asked for, whatever the rule says; `undefined` where it has the word, or nothing is asked for.
   * What copies do is a matter of the text, not of the backend.
   */
  #asAsked({ op, hint, hintId }: ConstraintQuery, context: RuleContext): RuleAnswer | undefined {
    if (!this.#acceptsAll || definitionOf(op.name).memoryOp) return undefined;
    if (hint === undefined || hintId === undefined || hint.ignorePhysicalLayout) return undefined;
    const outputs = op.results.map((tensor) =>
      tensor === undefined ? undefined : { shape: tensor.shape, layout: hint, layoutId: hintId }
    );
    return op.results.length === 1 ? accept({ outputs }, context) : undefined;
  }

  /** Why a filter refuses a candidate; `undefined` if none does. */
  #filtered(candidate: Candidate): string | undefined {
    for (const filter of this.#filters) {
      const words = filter.refusalOf(candidate);
      if (words !== undefined) return words;
    }
    return undefined;
  }

  /**
   * The answer, or a refusal of geometry that cannot exist, like the backend's "Unable to create TensorSpec"
   * (tt-mlir:op-model).
   */
  #unlessImpossible<Answer>(op: OpSignature, answer: () => Answer): Answer | InvalidConstraints {
    try {
      return answer();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return refuseLayout(op, "layout/geometry", `${error.message}`, "tt-mlir:op-model");
    }
  }

  /** The programs for these layouts, legal or not. */
  #launch(
    { op, traits, fault }: CachedSignature,
    inputs: readonly (LayoutId | undefined)[],
    outputs: readonly (LayoutId | undefined)[],
    config: OpSpecificAttributes | undefined,
    context: RuleContext,
  ): OpPrograms {
    if (fault !== undefined) return unknownPrograms(op.name, fault);
    const tensors = (shapes: OpSignature["operands"], layouts: readonly (LayoutId | undefined)[]) =>
      shapes.map((shape, index) => shape === undefined ? undefined : this.#tensor(shape, layouts[index]));
    return launchPrograms(traits.costClass, {
      name: op.name,
      attributes: op.attributes,
      inputs: tensors(op.operands, inputs),
      outputs: tensors(op.results, outputs),
      config,
    }, context);
  }

  #tensor(shape: TensorShape, layout: LayoutId | undefined): ProgramTensor {
    return programTensor(shape, layout === undefined ? undefined : this.layouts.get(layout));
  }

  /** The config that the op runs with; the same object for the same question. */
  #effectiveConfig(
    { ownConfig, completed }: CachedSignature,
    config: OpSpecificAttributes | undefined,
  ): OpSpecificAttributes | undefined {
    if (config === undefined) return ownConfig;
    const id = this.#configId(config);
    const cached = completed.get(id);
    if (cached !== undefined) return cached;
    const effective = effectiveConfig(ownConfig, config);
    completed.set(id, effective);
    return effective;
  }

  #hintAsRead({ definition, rule }: CachedSignature, hint: LayoutId): LayoutId {
    return this.#hintsAsRead.first(definition, rule, hint);
  }

  #configId(config: OpSpecificAttributes): number {
    const cached = this.#configByObject.get(config);
    if (cached !== undefined) return cached;
    const key = configKey(config);
    let id = this.#configByKey.get(key);
    if (id === undefined) {
      id = this.#configByKey.size;
      this.#configByKey.set(key, id);
    }
    this.#configByObject.set(config, id);
    return id;
  }
}
