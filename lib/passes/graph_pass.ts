// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { AttributeMap, ModuleText } from "../ir/mod.ts";
import type { TtnnType } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { PassOptions, PassSwitch, UpstreamLevel } from "./pass_options.ts";

/** One change that a pass made to the graph; layout decisions are reported separately. */
export interface GraphChange {
  /** Name of the pass or pattern. */
  readonly pass: string;
  /** Function that it changed. */
  readonly function: string;
  /** Op of the input at which the pattern matched, for example `ttnn.add`. */
  readonly op: string;
  /** Location of that op as printed, `""` without one. */
  readonly location: string;
  /** Consequences for callers of the program, in words. */
  readonly note?: string;
  /** Ops of the input that are gone since then. */
  readonly merged?: readonly MergedOp[];
}

/** An op of the input that is gone. */
export interface MergedOp {
  /** Its full name. */
  readonly op: string;
  /** Without aliases, `""` without one. */
  readonly location: string;
  /** The op that does its work now, of the same name if a pass made it anew elsewhere; missing if nothing has to. */
  readonly into?: string;
  /** Location of that op. */
  readonly intoLocation?: string;
}

/**
 * A pass that reached its limit in a function while patterns still matched: the graph is valid but not at a
 * fixed point.
 */
export interface UnfinishedPass {
  /** Name of the pass. */
  readonly pass: string;
  /** Function in which patterns still matched. */
  readonly function: string;
  /** Names of the patterns that matched in the last sweep. */
  readonly patterns: readonly string[];
  /** Sweeps over the function that were made. */
  readonly sweeps: number;
}

/** An op that a pass would create, with the layouts of its operands and results. */
export interface ProposedOp {
  readonly name: string;
  readonly operands: readonly TtnnType[];
  readonly results: readonly TtnnType[];
  readonly attributes: AttributeMap;
}

/** Predicted times of ops that run one after another. */
export interface SequenceTime {
  readonly microseconds: number;
  /** Part of them in which the cores wait for the dispatcher. */
  readonly waited: number;
}

/** Room in DRAM for results of const-eval functions. */
export interface ParameterRoom {
  /** Reserves room for results that stay loaded; returns `false` and reserves nothing if they do not fit. */
  take(types: readonly TtnnType[]): boolean;
}

/** Questions of graph passes about ops that they would create. */
export interface GraphQuestions {
  /** Whether the op model accepts an op, asked wherever upstream asks (tt-mlir:ttnn-fusing). */
  readonly isLegal: (question: ProposedOp) => boolean;
  /** Predicted µs of an op; `undefined` if it is illegal or its time is unknown. */
  readonly microseconds: (question: ProposedOp) => number | undefined;
  /** Predicted µs of ops in a row, as the dispatcher sends them; `undefined` if one of them is illegal or unknown. */
  readonly inSequence: (questions: readonly ProposedOp[]) => SequenceTime | undefined;
  /** Rows of a convolution's weights after preparation; `undefined` if they are not known. */
  readonly preparedRows: (convolution: ProposedOp) => number | undefined;
  /** Whether the result of a pool comes as `N×H×W×C`, whatever is declared: it is sliced through DRAM in an empty L1. */
  readonly comesAsImages: (pool: ProposedOp) => boolean;
}

/** State shared by all passes over a module. */
export interface PassContext extends GraphQuestions {
  readonly module: ModuleText;
  readonly chip: ChipDescription;
  readonly options: PassOptions;
  /** Functions of the module, then those that passes add, in order. */
  readonly functions: TtnnFunction[];
  /**
   * Whether passes may change the layouts of arguments and results: true for a lowered module, false for a
   * caller's TTNN.
   */
  readonly ownsSignature: boolean;
  /** Whether passes may change the pages of results: of a lowered module, and where the caller frees them. */
  readonly ownsResults: boolean;
  /** DRAM room for copies of parameters, in addition to the module's contents as read. */
  readonly dramRoom: () => ParameterRoom;
  /** Whether further changes are allowed; patterns check before each change. */
  readonly mayChange: () => boolean;
  /** Records a change of the graph. */
  readonly record: (change: GraphChange) => void;
  /** Records that a pass stopped at its limit. */
  readonly recordUnfinished: (unfinished: UnfinishedPass) => void;
}

/** One transformation of the functions of a module. Passes know no policy. */
export interface GraphPass {
  /** Name in the plan. */
  readonly name: string;
  /** Upstream's option that switches it off; missing if upstream always runs it. */
  readonly option?: PassSwitch | undefined;
  /** Optimization levels at which upstream does the same. */
  readonly upstream: UpstreamLevel;
  /** Runs the pass: changes {@linkcode PassContext.functions} in place. */
  readonly run: (context: PassContext) => void;
}

/** Records that a pass or pattern changed the graph at an op of a function. */
export function recordAt(
  context: PassContext,
  pass: string,
  body: TtnnFunction,
  { name: op, location = "" }: TtnnOp,
  note?: string,
): void {
  const change = { pass, function: body.header.name, op, location };
  context.record(note === undefined ? change : { ...change, note });
}

/**
 * A pass that visits the ops of every forward function once and records those that it changed.
 *
 * @param visitor of the ops of a function; whether an op was changed
 */
export function visitingPass(
  pass: Omit<GraphPass, "run">,
  visitor: (body: TtnnFunction, context: PassContext) => (op: TtnnOp) => boolean,
): GraphPass {
  return {
    ...pass,
    run: (context) => {
      for (const body of context.functions.filter(isForward)) {
        const isChanged = visitor(body, context);
        for (const op of body.ops()) if (isChanged(op)) recordAt(context, pass.name, body, op);
      }
    },
  };
}

/**
 * Reserves room in DRAM for copies of parameters beside the originals; `false`, and nothing reserved, if they do not
 * fit. Ask once, right before copying. In a lowered module const-eval moves the originals to the host, so nothing is
 * held twice and no room is needed; a caller's parameters stay in DRAM.
 */
export function takeRoomForCopy(types: readonly TtnnType[], context: PassContext): boolean {
  return context.ownsSignature || context.dramRoom().take(types);
}

/**
 * Whether a function runs in every inference: a forward function, the main function of a trace, or one that the input
 * gives no kind. Most patterns apply to these only.
 */
export function isForward(body: TtnnFunction): boolean {
  const { kind } = body.header;
  return kind === undefined || kind === "forward_device" || kind === "trace_main";
}
