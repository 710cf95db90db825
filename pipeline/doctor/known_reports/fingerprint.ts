// SPDX-License-Identifier: Apache-2.0

/** A kind of failures that many reports share, so that its words say little of the cause. */
export interface FailureKind {
  readonly words: RegExp;
  /** What tells its reports apart: the op; the op and details of the message; those, or all words where no op is known. */
  readonly toldBy: "op" | "details" | "words";
  /** Whether the op is the one that the message names, whatever else the report is about. */
  readonly namesOp?: true;
}

/** What identifies a message. */
export interface Fingerprint {
  /** `undefined` for a check of its own. */
  readonly kind: FailureKind | undefined;
  /** Words, and pairs of neighbouring ones, without numbers, shapes, addresses and folders; the source file. */
  readonly words: ReadonlySet<string>;
  /** Words that are of no op and do not only say that something fails. */
  readonly details: ReadonlySet<string>;
  /** Enums, constants, libraries and what is quoted, of which another one is another failure. */
  readonly names: ReadonlySet<string>;
  /** Names of ops without their dialects: those of the message, and of what the log or the report says of it. */
  readonly ops: ReadonlySet<string>;
  readonly spelled: ReadonlySet<string>;
}

/** The first that matches counts. */
const KINDS: readonly FailureKind[] = [
  { words: /clash with L1 buffers/i, toldBy: "op" },
  { words: /beyond max L1 size/i, toldBy: "op" },
  { words: /(?:Not enough space|Out of Memory|OOM)\b.*\bL1_SMALL\b/i, toldBy: "op" },
  { words: /(?:Not enough space|Out of Memory|OOM)\b.*\bDRAM\b/i, toldBy: "op" },
  { words: /Not enough space|Out of ?Memory|\bOOM\b/i, toldBy: "op" },
  { words: /failed to legalize operation/i, toldBy: "op", namesOp: true },
  { words: /failed validation|no fallback configuration/i, toldBy: "op" },
  { words: /device timeout, potential hang/i, toldBy: "op" },
  { words: /incompatible function arguments|unexpected keyword/i, toldBy: "op" },
  { words: /Bad StatusOr access|Error code: \d+$/, toldBy: "op" },
  {
    words:
      /\bPCC\b|\b(?:wrong|incorrect|garbage|junk|bad|corrupt\w*) (?:\w+ ){0,2}(?:outputs?|values?|results?|numbers)|\bdiffers? from|allclose|\batol\b|not close/i,
    toldBy: "details",
  },
  { words: /\bhangs?\b|\bhung\b|\bstuck\b|deadlock/i, toldBy: "words" },
  { words: /segmentation fault|SIGSEGV|core dumped|SIGABRT|bus error/i, toldBy: "words" },
];

/** Names of ops as programs, logs and compilers spell them. */
const OP = /\b(?:ttnn|ttir|stablehlo|shlo|tosa|aten)(?:\.|::)(?:\w+(?:\.|::))*([a-z]\w*)/g;

/** Ops that are one for checks and programs. */
const SAME_OPS: Readonly<Record<string, string>> = {
  linear: "matmul",
  dot_general: "matmul",
  sdpa: "scaled_dot_product_attention",
};

/** Words that say that something fails, and how. */
const FAILS =
  /^(?:pcc|atol|low|drop|below|required?|than|from|differs?|wrong|bad|garbage|incorrect|not|no|results?|values?|outputs?|tensors?|inputs?|returns?|gives?|some|hangs?|hung|stuck|when|after|during|fails?|failed|failing|segmentation|fault|core|dumped|crash\w*|assertionerror|ops?|issue|test)$/;

const NAMES = /\b(?!TT_|(?:Nx)+N\b)[A-Z][A-Z_\d]+\b|\w+(?=\.so\b)|(?<=')[A-Za-z_]\w*(?=')/g;

/** Words that say nothing of a failure. */
const EMPTY =
  /^(?:(?:nx)*n|cpp|hpp|py|cc|info|tt|fatal|throw|error|runtimeerror|the|an|of|is|to|in|on|and|or|be|for|it|with|by|as|at|that|was|has|its)$/;

/** Ops of which only other words say what they do. */
const ANY_OPS: ReadonlySet<string> = new Set(["custom_call", "composite"]);

/** Names of ops without their dialects and variants. */
function plainOps(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(plainOp)).difference(ANY_OPS);
}

function plainOp(name: string): string {
  const plain = name.replace(/^.*[.:]/, "").toLowerCase().replace(/_async$|_op$/, "");
  return Object.hasOwn(SAME_OPS, plain) ? SAME_OPS[plain] ?? plain : plain;
}

/** An assertion of C++ that failed, with its condition. */
const ASSERTION = /(?:\bAssertion |^)[\x60'"](.{4,300}?)[\x60'"] failed/;

/** Words of a text in lower case and in order, without numbers, shapes, addresses and folders. */
export function wordsIn(text: string): readonly string[] {
  return plainText(text).match(/[A-Za-z][A-Za-z\d]+/g)?.map((word) => word.toLowerCase())
    .filter((word) => !EMPTY.test(word)) ?? [];
}

function plainText(text: string): string {
  return text.replaceAll(/File "[^"\n]*", line \d+(?:, in \w+)?/g, " ")
    .replaceAll(/(?<![\w.@~/-])(?:[\w.@~-]*\/)+(?=\w)/g, " ")
    .replaceAll(/\b0x[\da-f]+\b|(?<![A-Za-z_])-?\d[\dx.,']*(?:[KMG]i?B)?/gi, " ");
}

/**
 * The fingerprint of a message.
 *
 * @param ops that the log or the report names
 */
export function fingerprintOf(
  message: string,
  file: string | undefined,
  ops: readonly string[],
): Fingerprint {
  const kind = KINDS.find(({ words }) => words.test(message));
  // The condition is the assertion; its function and file differ by version.
  const [, told = message] = ASSERTION.exec(message) ?? [];
  const said = plainOps([...message.matchAll(OP)].map(([, name = ""]) => name));
  const named = kind?.namesOp === true && said.size > 0 ? said : plainOps(ops).union(said);
  const words = wordsIn(told);
  const ofOps = new Set(
    [...ops, ...named].flatMap((op) => [...wordsIn(op), plainOp(op).replaceAll("_", "")]),
  );
  return {
    kind,
    words: new Set([
      ...words,
      ...words.slice(1).map((word, index) => `${words[index]} ${word}`),
      ...(file === undefined ? [] : [`file ${file.replace(/\.\w+$/, "")}`]),
    ]),
    details: new Set(words.filter((word) => !FAILS.test(word))).difference(ofOps),
    names: new Set(plainText(told).match(NAMES) ?? []),
    ops: named,
    spelled: said,
  };
}
