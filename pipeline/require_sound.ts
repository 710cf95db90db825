// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { type Diagnostic, DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import type { GraphChange } from "../lib/passes/graph_pass.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";

/** The chip that a text is written for; the text may describe another one. */
type TargetChip = Pick<ChipDescription, "workerGrid" | "dramBanks">;

/** Errors of a module that its input does not have. */
function faultsOf(
  made: ModuleText,
  input: ModuleText,
  { workerGrid, dramBanks }: TargetChip,
): readonly Diagnostic[] {
  const found = verifyModule(made, { workerGrid, dramBanks, isCreated: createdLayouts(input, made) })
    .filter(({ severity }) => severity === "error");
  if (found.length === 0) return found;
  const given = verifyModule(input, { workerGrid, dramBanks });
  const known = new Set(given.map(({ code, message }) => `${code} ${message}`));
  // A violation that is only a warning in another compiler's layouts is also one in layouts derived from
  // them.
  const warned = new Set(given.filter(({ severity }) => severity === "warning").map(({ code }) => code));
  return found.filter(({ code, message }) => !known.has(`${code} ${message}`) && !warned.has(code));
}

/**
 * Verifies a module after lowering and graph passes, before the decision.
 *
 * @param input the parsed text, TTNN or TTIR
 * @param changesUpTo the module after the first n changes of the same passes
 * @throws {DiagnosticError} if it breaks a rule that the input keeps; it names the rule and the pass that
 * broke it
 */
export function requireSoundPasses(
  made: ModuleText,
  input: ModuleText,
  changes: readonly GraphChange[],
  changesUpTo: (count: number) => ModuleText,
  target: TargetChip,
): void {
  if (made === input) return;
  const isSound = (count: number): boolean => faultsOf(changesUpTo(count), input, target).length === 0;
  const [fault] = faultsOf(made, input, target);
  if (fault === undefined) return;
  // The last change with a sound graph, and the first with an unsound one.
  let [sound, unsound] = isSound(0) ? [0, changes.length] : [-1, 0];
  while (unsound - sound > 1) {
    const middle = Math.floor((sound + unsound) / 2);
    if (isSound(middle)) sound = middle;
    else unsound = middle;
  }
  const change = changes[unsound - 1];
  const maker = change === undefined
    ? "lowering"
    : `graph pass '${change.pass}', at ${change.op} of @${change.function}` +
      (change.location === "" ? "" : ` ${change.location}`);
  refuse(fault, maker, "'--graph-passes upstream' may go without it");
}

/**
 * Verifies the text before it is written.
 *
 * @throws {DiagnosticError} if it breaks a rule that the input keeps
 */
export function requireSoundText(
  written: ModuleText,
  input: ModuleText,
  policy: string,
  target: TargetChip,
): void {
  if (written.text === input.text) return;
  const [fault] = faultsOf(written, input, target);
  if (fault !== undefined) refuse(fault, `policy '${policy}'`, "another policy may do");
}

/** @param remedy what the user can do meanwhile */
function refuse(fault: Diagnostic, maker: string, remedy: string): never {
  const { code, message, location } = fault;
  const place = location === undefined ? "" : ` in line ${location.line}`;
  const text = `Cannot write what ${maker} made: it breaks ${code}${place}: ${message}; ` +
    `this is a fault of this program, please report it; ${remedy}`;
  const { location: _, ...rest } = fault;
  throw new DiagnosticError([{ ...rest, code: "output/unsound", message: text }]);
}
