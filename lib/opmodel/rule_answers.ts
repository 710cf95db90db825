// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes, workerCores } from "../device/chip_description.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { ConfigIds } from "../op_config/config_ids.ts";
import { effectiveConfig } from "../op_config/config_key.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import { launchPrograms } from "../programs/launch.ts";
import { pagesFault } from "../programs/data_movement/memory_move.ts";
import { emptyRoom, FULL_RUN, type L1Room } from "../programs/op_launch.ts";
import { type OpPrograms, unknownPrograms } from "../programs/program.ts";
import { type ProgramTensor, programTensor } from "../programs/program_tensor.ts";
import type { Candidate, CandidateFilter } from "./candidate_filter.ts";
import {
  checkOperands,
  isUnwritable,
  layoutFault,
  unwritableResult,
  writtenLayout,
} from "./layout_checks.ts";
import type { InvalidConstraints, OpConstraints } from "./op_model.ts";
import type { OpModelOptions } from "./op_model_options.ts";
import type { ConstraintQuery, RuleContext } from "./rule.ts";
import type { CachedSignature } from "./signature_cache.ts";
import {
  allocatedL1Bytes,
  refusalOf,
  RuleRefusal,
  UnlaunchedAnswer,
  type Verdict,
  withPrograms,
} from "./verdict.ts";

/** The rule book's answer to a query; programs are launched only if the results fit L1. */
export type UncachedAnswer = OpConstraints | UnlaunchedAnswer;

/** A query of the op model about an op whose name, attributes and shapes it knows. */
export interface RuleQuestion {
  readonly signature: CachedSignature;
  readonly inputs: LayoutIds;
  readonly hint: LayoutId | undefined;
  readonly config: OpSpecificAttributes | undefined;
}

/** The rule book without a cache; it keeps only ids of configs. */
export class RuleAnswers {
  readonly context: RuleContext;
  readonly configs: ConfigIds = new ConfigIds();
  readonly #asWritten: boolean;
  readonly #filters: readonly CandidateFilter[];
  /** Whether the rule or programs have read the free L1 since the flag was cleared. */
  #hasReadRoom = false;

  constructor(options: OpModelOptions) {
    const { chip, layouts } = options;
    this.#asWritten = options.asWritten ?? false;
    this.#filters = options.filters ?? [];
    this.context = {
      chip,
      layouts,
      isDeviceOperation: options.isDeviceOperation ?? false,
      cores: workerCores(chip),
      writesSliceConfig: options.writesSliceConfig ?? true,
      mesh: options.mesh ?? [],
      assumed: options.assumed ?? FULL_RUN,
      checksWrittenText: options.checksWrittenText ?? true,
      room: this.#fullRoom,
      usableL1Bytes: usableL1Bytes(chip, options.usableL1Cap ?? DEFAULT_L1_CAP, options.reservedL1Bytes ?? 0),
    };
  }

  /** An empty L1; records that the answer depends on it. */
  readonly #fullRoom = (): L1Room => {
    this.#hasReadRoom = true;
    return emptyRoom(this.context.chip);
  };

  /** The query as a rule reads it, or the refusal of an operand. */
  query(question: RuleQuestion): ConstraintQuery | InvalidConstraints {
    return this.#unlessRefused(question.signature.op, () => this.#query(question, this.context));
  }

  #query({ signature, inputs, hint, config }: RuleQuestion, context: RuleContext): ConstraintQuery {
    const { op, definition } = signature;
    const operands = checkOperands(op, definition, inputs, context);
    return { ...context, op, operands, hint: this.#layout(hint), hintId: hint, config };
  }

  /**
   * The answer to a query, whose config is completed with the op's own.
   *
   * @param context overrides the model's own, for example with less free L1
   */
  answer(question: RuleQuestion, context: RuleContext = this.context): UncachedAnswer {
    const { signature, inputs, hint } = question;
    const { op, definition, rule } = signature;
    return this.#unlessRefused(op, () => {
      const asked = this.#query(this.completed(question), context);
      const given = definition.movable ? this.#layout(hint) : undefined;
      const fault = given === undefined ? undefined : layoutFault(given, context.chip);
      if (fault !== undefined) {
        const message = `${op.name}: output hint ${fault.message}`;
        return refusalOf(fault.failure, fault.rule, message, fault.source);
      }
      const query = this.#asWritten && rule.writtenConfig !== undefined
        ? { ...asked, config: rule.writtenConfig(asked, signature.ownConfig) }
        : asked;
      this.#hasReadRoom = false;
      const verdict = rule.evaluate(query);
      return this.#refusal(query, verdict) ?? this.#launched(signature, inputs, query, verdict, context);
    });
  }

  /** Why an op that its rule accepts is refused after all; `undefined` if it is not. */
  #refusal(query: ConstraintQuery, { outputs }: Verdict): InvalidConstraints | undefined {
    const { op, operands, checksWrittenText, layouts } = query;
    if (outputs.length !== op.results.length) {
      const message = `${op.name} makes ${outputs.length} results and is asked for ${op.results.length}`;
      return refusalOf("unsupported_config", "result/count", message, "op definition (ttnn dialect)");
    }
    const words = this.#filters.length === 0 ? undefined : this.#filtered({
      ...query,
      inputs: operands.map((operand) => operand?.layout),
      outputs: outputs.map((output) => output?.layout),
    });
    if (words !== undefined) {
      return refusalOf("unsupported_layout", "backend/refused", `${op.name}: ${words}`);
    }
    const unwritable = checksWrittenText ? outputs.find(isUnwritable) : undefined;
    if (unwritable === undefined) return undefined;
    const refusal = unwritableResult(op, unwritable);
    return unwritable === outputs[0]
      ? { ...refusal, written: layouts.intern(writtenLayout(unwritable)) }
      : refusal;
  }

  /** The answer with the op's programs; their launch is deferred if the results alone exceed L1. */
  #launched(
    signature: CachedSignature,
    inputs: LayoutIds,
    { op, config }: ConstraintQuery,
    verdict: Verdict,
    context: RuleContext,
  ): UncachedAnswer {
    const ruleReadsRoom = this.#hasReadRoom;
    const complete = (): OpConstraints => {
      this.#hasReadRoom = ruleReadsRoom;
      const outputs = verdict.outputs.map((output) => output?.layoutId);
      const launched = verdict.launched?.() ??
        this.launch(signature, inputs, outputs, verdict.config ?? config, context);
      if (launched.status === "unknown") {
        return refusalOf("not_implemented", "programs/unknown", launched.reason, "the program factories");
      }
      for (const program of launched.programs) {
        const fault = pagesFault(program);
        if (fault !== undefined) {
          return refusalOf("unsupported_layout", "layout/pages", `${op.name}: ${fault}`);
        }
      }
      return withPrograms(verdict, launched, context.chip, this.#hasReadRoom);
    };
    const leastL1Bytes = allocatedL1Bytes(verdict, context.chip);
    return leastL1Bytes > this.context.usableL1Bytes
      ? new UnlaunchedAnswer(leastL1Bytes, () => this.#unlessRefused(op, complete))
      : complete();
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
   * What is made, or the refusal that ended it; also one if the geometry cannot exist, like the backend's "Unable to
   * create TensorSpec" (tt-mlir:op-model).
   */
  #unlessRefused<Made>({ name }: OpSignature, make: () => Made): Made | InvalidConstraints {
    try {
      return make();
    } catch (error) {
      if (error instanceof RuleRefusal) return error.answer;
      if (!(error instanceof RangeError)) throw error;
      return refusalOf(
        "unsupported_layout",
        "layout/geometry",
        `${name}: ${error.message}`,
        "tt-mlir:op-model",
      );
    }
  }

  /** The programs for these layouts, whether legal or not. */
  launch(
    { op, traits, fault }: CachedSignature,
    inputs: LayoutIds,
    outputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
    context: RuleContext = this.context,
  ): OpPrograms {
    if (fault !== undefined) return unknownPrograms(op.name, fault);
    const tensors = (shapes: OpSignature["operands"], layouts: LayoutIds) =>
      shapes.map((shape, index) => shape === undefined ? undefined : this.tensor(shape, layouts[index]));
    return launchPrograms(traits.costClass, {
      name: op.name,
      attributes: op.attributes,
      inputs: tensors(op.operands, inputs),
      outputs: tensors(op.results, outputs),
      config,
    }, context);
  }

  /** A tensor as programs see it. */
  tensor(shape: TensorShape, layout: LayoutId | undefined): ProgramTensor {
    return programTensor(shape, this.#layout(layout));
  }

  #layout(id: LayoutId | undefined) {
    return id === undefined ? undefined : this.context.layouts.get(id);
  }

  /** The question with the config that the op runs with; equal queries get the same object. */
  completed(question: RuleQuestion): RuleQuestion {
    const { signature: { ownConfig, completed }, config } = question;
    return {
      ...question,
      config: config === undefined
        ? ownConfig
        : completed.getOrInsertComputed(this.configs.of(config), () => effectiveConfig(ownConfig, config)),
    };
  }
}
