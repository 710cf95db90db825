// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { type AttributeTexts, printedDictionary } from "../dialect/printed_attributes.ts";
import { HEAD_PROFILE } from "../dialect/ttnn_profile.ts";
import { volume } from "../layout/extents.ts";
import { deviceText, systemDescriptionText } from "./device_text.ts";
import type { TtnnFunction } from "./function.ts";
import { LayoutAliases } from "./layout_aliases.ts";
import { spellingOf } from "./module_spelling.ts";
import { newFunctionLines } from "./write.ts";

/** A module of TTNN functions to print. */
export interface TtnnModule {
  /** Symbol as printed, `@ResNet`; empty for none. */
  readonly symbol: string;
  /** Attributes of the outer module, repeated on the inner one. */
  readonly attributes: AttributeTexts;
  readonly chip: ChipDescription;
  /** Device mesh; empty for one chip outside of a mesh. */
  readonly mesh: readonly number[];
  readonly functions: readonly TtnnFunction[];
  /** Alias definitions to print unchanged before the module (locations). */
  readonly leadingAliases?: readonly string[];
}

/**
 * Prints a module as upstream prints the newest generation: aliases sorted by name and numbered in order of first use,
 * `ttcore.device_module` around a `builtin.module` with the system description, the device, and the functions with a
 * `ttnn.deallocate` after every last use.
 */
export function writeModule(module: TtnnModule): string {
  const aliases = new LayoutAliases();
  const spelling = spellingOf(HEAD_PROFILE, aliases, module.chip);
  const functions = module.functions.flatMap((func) => newFunctionLines(func, spelling));
  const outer = module.attributes.size === 0 ? "" : ` attributes ${printedDictionary(module.attributes)}`;
  const symbol = module.symbol === "" ? "" : ` ${module.symbol}`;
  const inner = new Map([...module.attributes, ["ttcore.system_desc", "#system_desc"]]);
  const chips = Math.max(1, volume(module.mesh));
  const { buffers, layouts } = aliases.definitions;
  const system = `#system_desc = #ttcore.system_desc<${systemDescriptionText(module.chip, chips)}>`;
  return [
    ...(module.leadingAliases ?? []).map((line) => `${line}\n`),
    ...[...[...buffers, system].sort(), ...layouts].map((line) => `${line}\n`),
    `module${symbol}${outer} {\n`,
    "  ttcore.device_module {\n",
    `    builtin.module${symbol} attributes ${printedDictionary(inner)} {\n`,
    `      ttcore.device @default_device = <${deviceText(module.chip, module.mesh)}>\n`,
    ...functions.map((line) => `      ${line}\n`),
    "    }\n",
    "  }\n",
    "}\n",
  ].join("");
}
