// SPDX-License-Identifier: Apache-2.0
import type { Command, Options } from "../command.ts";
import type { Host } from "../host.ts";
import type { EffectiveOption } from "../option_values.ts";
import { type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { styleOf } from "./style.ts";

const COLUMNS: readonly FittedColumn[] = [
  { title: "Option", align: "left", expendable: 0 },
  { title: "Value", align: "left", expendable: 0, shrinkTo: 12 },
  { title: "From", align: "left", expendable: 0, shrinkTo: 12 },
];

/** Options that only say what to print; they are no settings. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(["help", "print-config"]);

/** What `--print-config` prints: every option of a command, its value and where that is from. */
export function renderConfig(
  command: Command,
  effective: readonly EffectiveOption[],
  options: Options,
  host: Host,
): string {
  const settings = effective.filter(({ spec }) => !NOT_SETTINGS.has(spec.name));
  if (settings.some(({ spec, value }) => spec.name === "json" && value === true)) {
    const entries = settings.map(({ spec, value, origin }) => [spec.name, { value: value ?? null, origin }]);
    const document = {
      schema: "tilewright.config/1",
      command: command.name,
      options: Object.fromEntries(entries),
    };
    return `${JSON.stringify(document, null, 2)}\n`;
  }
  const style = styleOf(host, options);
  const body = settings.map(({ spec, value, origin }) => [
    { text: `--${spec.name}` },
    { text: value === undefined ? "–" : Array.isArray(value) ? value.join(" ") : String(value) },
    { text: origin, ...(origin === "default" ? { paint: style.dim } : {}) },
  ]);
  return `${renderFittedTable(COLUMNS, { body, footer: [] }, style, host.stdout.columns)}\n`;
}
