// SPDX-License-Identifier: Apache-2.0
import { MOST_OPS, onlyOpOf, opsNamed, opsOfBacktrace } from "./check_place.ts";
import { opsAround } from "./op_mentions.ts";

/** Separates logger records in a log flattened to one line. */
export const RECORD_END = "\u241E";

/** The op that failed, as a log names it. */
export interface FailedOp {
  /** Names such as `ttnn.matmul`; several if it may be any of them, absent if the log names none. */
  readonly ops?: readonly string[] | undefined;
  /** The op that runs it within its own, such as `ttnn.conv2d`; absent if it runs alone, or if that is unknown. */
  readonly within?: string;
  /** Only running text nearby names it. */
  readonly isGuess?: true;
  /** Its location in the program, as tt-mlir prints it. */
  readonly location?: string;
  /** The pass of tt-mlir that asked the backend about it while it compiled: it never ran. */
  readonly askedBy?: string;
}

/** How tt-mlir's validation begins what it says of an op. */
export const VALIDATION = "OperationValidationAndFallback: Operation";

/** What it, or the pass that moves tensors out of L1, says before the refusal that it quotes. */
const ASKED = new RegExp(
  String
    .raw`(?:\bloc\("([^"]{1,200})"[^:]{0,200}?\): )?(?:error: )?` +
    String
      .raw`(?:(OperationValidationAndFallback|L1SpillManagement): (?:Operation (?:(ttnn\.\w+) )?|[^\u241E]{0,60}?)|\bOperation (ttnn\.\w+) )` +
    String.raw`failed validation\b(?:(?!No fallback| Operation IR:| error: (?:loc|Op)).){0,300}$`,
);

/**
 * Characters searched before a failure for a Python call and for an op that tt-mlir's runtime prints, and behind it for a
 * backtrace.
 */
const [CALL, EXECUTED, BEHIND] = [1_500, 8_000, 4_000];

/** Texts that name the op before a failure: a line of a Python traceback, a record of tt-mlir's runtime. */
const NAMED =
  /\bttnn(?:\.\w+)*\.([a-z]\w*|Tensor(?=\( ?tensor=))(?:\(|(?=['\x60\]]|: TT_| (?:is )?fail| error| op\b))|Executing operation: [^"]{0,80}"ttnn\.(\w+)"/g;

/** An op that tt-mlir's runtime prints as it runs it. */
const EXECUTING = /Executing operation: [^"]{0,80}"ttnn\.(\w+)"\(/g;

/** An op of TTNN as a program spells it. */
const SPELLED = /"ttnn\.(\w+)"\(/g;

/** How people say behind a message which op it was: `on a ttnn.conv2d op`. */
const SAID_BEHIND =
  /^.{0,200}?\b(?:[Oo]n|in|for|from|calling|running) (?:an? |the |this )?[\x60'"]?ttnn\.(?:(?:transformer|experimental|prim)\.)*(\w+)/;

/** Right before a message, the op that people say fails with it: `The all_gather op failed: …`; and how far it is looked for. */
const FAILS_BEFORE = /\b([a-z]\w*)[\x60'"]? op(?:eration)? (?:fail|crash)\w*(?: with)?\W{0,6}$/;
const LINE = 100;

/** The line of a test or model that pytest prints below the error. */
const CALLED_BEHIND =
  /^.{0,600}? (?:\w+ = |return |> )ttnn(?:\.\w+)*\.(?!open_|close_|[gs]et_|synchronize|manage_|to_torch|from_|to_device)([a-z]\w*)\(/;

/** The end of the backtrace after a failure: another failure, or the next record. */
const NEXT_FAILURE = /(?:\u241E|backtrace:.*?) (?:\S+ \| |TT_(?:FATAL|THROW|ASSERT): )/;

/** Functions in the order of their calls, in front of a failure: `ttnn::tilize → MeshBuffer::create`. */
const CALLS_BEFORE = /\bttnn::\w[\w:]*(?:\(\))? (?:→|->) [^\u241E]*$/;

/**
 * The op that failed, of a failure from `at` to `end` of a log whose white space is single blanks, by the first of these
 * that the log has: what tt-mlir's validation asked about; the location of MLIR's diagnostic; the last op that a Python traceback (`y = ttnn.relu(…`) or
 * tt-mlir's runtime (`Executing operation: …`) names before it; the backtrace behind it, or calls in front of it; an op
 * that the runtime prints or somebody names behind it; an op of the running text around it, as a guess.
 */
export function failedOp(flat: string, at: number, end: number): FailedOp {
  const executed = [...flat.slice(Math.max(0, at - EXECUTED), at).matchAll(EXECUTING)].at(-1);
  const printed = executed === undefined
    ? undefined
    : flat.slice(Math.max(0, at - EXECUTED) + executed.index, at);
  const last = [...flat.slice(Math.max(0, at - CALL), at).matchAll(NAMED)].at(-1);
  // What from_torch calls in its own code.
  const name = last?.[1]?.replace(/^Tensor$/, "from_torch") ?? last?.[2] ?? executed?.[1];
  // MLIR's diagnostics begin with their place.
  const [, place] = /\bloc\("([^"]{1,200})"[^:]{0,200}?\): (?:error: )?(?:OperationVal\w+: )?$/.exec(
    flat.slice(Math.max(0, at - 500), at),
  ) ??
    /^loc\("([^"]{1,200})".{0,200}?\): error: /.exec(flat.slice(at, end)) ?? [];
  const asked = ASKED.exec(flat.slice(Math.max(0, at - CALL), at));
  if (asked !== null) {
    const [, location, askedBy = "OperationValidationAndFallback", one, other] = asked;
    const op = one ?? other;
    return {
      ...(op === undefined ? {} : { ops: [op] }),
      ...(location === undefined ? {} : { location }),
      askedBy,
    };
  }
  if (place !== undefined) {
    const near = opsAround(flat.slice(0, at), flat.slice(end, end + EXECUTED));
    return { ...(near === undefined ? {} : { ops: near, isGuess: true }), location: place };
  }
  if (name !== undefined) {
    return {
      ops: [onlyOpOf(name) ?? `ttnn.${name}`],
      ...(name === executed?.[1] ? locationIn(printed ?? "") : {}),
    };
  }
  const called = opsOfBacktrace(flat.slice(end, end + BEHIND).split(NEXT_FAILURE, 1)[0] ?? "") ??
    opsOfBacktrace(CALLS_BEFORE.exec(flat.slice(Math.max(0, at - CALL), at))?.[0] ?? "");
  if (called !== undefined && called.ops.length <= MOST_OPS) return called;
  const behind = flat.slice(end, end + EXECUTED);
  const next = [...behind.slice(0, CALL).matchAll(EXECUTING)][0];
  if (next !== undefined) return { ops: [`ttnn.${next[1]}`], ...locationIn(behind.slice(next.index)) };
  const said = SAID_BEHIND.exec(behind)?.[1];
  if (said !== undefined) return { ops: [`ttnn.${said}`] };
  // The only op that the text spells as a program does is no guess.
  const [only, another] = new Set([...flat.matchAll(SPELLED)].map(([, op]) => op));
  if (only !== undefined && another === undefined) return { ops: [`ttnn.${only}`] };
  const line = CALLED_BEHIND.exec(behind)?.[1];
  if (line !== undefined) return { ops: [`ttnn.${line}`], isGuess: true };
  if (called !== undefined) return called;
  const failing = opsNamed(FAILS_BEFORE.exec(flat.slice(Math.max(0, at - LINE), at))?.[1] ?? "");
  if (failing !== undefined) return { ops: failing };
  const prose = opsAround(flat.slice(0, at), behind);
  return prose === undefined ? {} : { ops: prose, isGuess: true };
}

function locationIn(printed: string): Pick<FailedOp, "location"> {
  // A line of a file is no name of an op.
  const location = /\bloc\("([^"]+)"(?!:\d)/.exec(printed)?.[1];
  return location === undefined ? {} : { location };
}
