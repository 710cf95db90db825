// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { commonChip, readDevice, readSystemChips } from "../dialect/system_desc.ts";
import { detectProfile } from "../dialect/ttnn_profile.ts";
import type { ModuleText } from "../ir/module_text.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";
import { verifyIndexFormats, verifyReturnedLayouts } from "./kernel_layouts.ts";
import { verifyLayouts } from "./layouts.ts";
import { verifyOpConfigs } from "./op_configs.ts";
import { Reporter } from "./reporter.ts";
import { verifyResultProperties } from "./result_properties.ts";
import { verifyShapes } from "./shapes.ts";
import { verifyMeshes, verifySharding } from "./sharding.ts";
import { verifySignatures } from "./signatures.ts";
import { verifyAttributes } from "./attributes.ts";
import { verifyDeallocation, verifyValues } from "./values.ts";

/** The facts that a module is verified against. */
export interface VerifyOptions {
  /** Worker cores of the device; by default those that the module states. */
  readonly workerGrid?: WorkerGrid;
  /** DRAM banks of the device; by default those that the module states. */
  readonly dramBanks?: number;
  /**
   * Whether we created the layout of a tensor type with the given encoding text, so that its arithmetic must be
   * exact; by default none. See {@linkcode createdLayouts}.
   */
  readonly isCreated?: (encoding: string) => boolean;
}

/**
 * Verifies the structure of a module (derived:structural-checks). The parser already checks names and aliases,
 * and the L1 budget needs a simulation. Findings are in the order of the rules and, within a rule, of the text;
 * codes are like `V1/dominance`.
 *
 * @example
 * ```ts
 * import { parseModule, verifyModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`func.func @main(%x: tensor<4xbf16>) -> tensor<8xbf16> {
 *   return %x : tensor<4xbf16>
 * }
 * `, "main.mlir");
 * assertEquals(verifyModule(module).map(({ code, severity }) => [code, severity]), [["V3/return", "error"]]);
 * ```
 *
 * @throws {DiagnosticError} when an attribute or type that a rule must read is malformed
 */
export function verifyModule(module: ModuleText, options: VerifyOptions = {}): Diagnostic[] {
  const reporter = new Reporter(module);
  for (const verify of RULES) verify(reporter, { isCreated: () => false, ...options });
  return reporter.diagnostics;
}

/**
 * Whether a code of {@linkcode verifyModule} is of a rule that predictions depend on: dominance, types, signatures,
 * possible layouts, readable op configs, parts of tensors that fit the chips of a mesh, required properties.
 */
export function isStructural(code: string): boolean {
  return /^V(?:[1235]|15|18|20)\//.test(code);
}

/** Input of a rule besides the module. */
interface RuleOptions extends VerifyOptions {
  readonly isCreated: (encoding: string) => boolean;
}

/** Rules that are checked together, in the order of their findings. */
const RULES: readonly ((reporter: Reporter, options: RuleOptions) => void)[] = [
  verifyValues,
  verifySignatures,
  verifyLayoutsOfChip,
  (reporter, { isCreated }) => verifyResultProperties(reporter, isCreated),
  verifyShapes,
  verifyDeallocation,
  verifyOpConfigs,
  verifyReturnedLayouts,
  verifyMeshes,
  verifySharding,
  verifyIndexFormats,
  verifyAttributes,
];

function verifyLayoutsOfChip(
  reporter: Reporter,
  { workerGrid, dramBanks, isCreated }: RuleOptions,
): void {
  const { module } = reporter;
  const device = readDevice(module);
  const chip = commonChip(readSystemChips(module));
  const profile = detectProfile(module);
  verifyLayouts(reporter, {
    workerGrid: workerGrid ?? device?.workerGrid ?? chip?.workerGrid,
    dramBanks: dramBanks ?? device?.dramBanks ?? chip?.dramBanks,
    placesShards: profile.layoutGeneration !== "G1",
    paddedMaps: profile.paddedMaps,
    isCreated,
  });
}

/** Finds the layouts of a rewritten module that its input does not have, for {@linkcode VerifyOptions.isCreated}. */
export function createdLayouts(input: ModuleText, output: ModuleText): (encoding: string) => boolean {
  return (encoding) => {
    if (!encoding.startsWith("#")) return !input.text.includes(encoding);
    const name = encoding.slice(1);
    const before = input.attributeAliases.get(name);
    const after = output.attributeAliases.get(name);
    if (before === undefined || after === undefined) return before === undefined;
    return input.text.slice(before.span.start, before.span.end) !==
      output.text.slice(after.span.start, after.span.end);
  };
}
