// SPDX-License-Identifier: Apache-2.0

/** The decision that a command explains. */
export interface Explainable {
  /** File of the program, of a plan's input, or of a decision trace. */
  readonly file: string;
  /** Options that reproduce the decision, such as `--policy greedy`. */
  readonly options: readonly string[];
}

/** An op by function and id. */
export interface ExplainedOp {
  readonly function: string;
  readonly id: number;
}

/** The command line that explains an op. */
export function explainCommand({ file, options }: Explainable, op: ExplainedOp): string {
  return ["tilewright", "explain", file, ...options, "--op", `@${op.function}:${op.id}`].map(shellQuoted)
    .join(" ");
}

export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
