// SPDX-License-Identifier: Apache-2.0
import type { Command, EffectiveOption, Options } from "../command.ts";
import type { Host } from "../host.ts";
import { styleOf } from "./style.ts";
import { jsonOutput } from "../json_output.ts";

/** Options that only select what to print; they are not settings. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(["help", "print-config"]);

/** Output of `--print-config`: every option of a command, its value and the source of the value. */
export function renderConfig(
  command: Command,
  effective: readonly EffectiveOption[],
  options: Options,
  host: Host,
): string {
  const settings = effective.filter(({ spec }) => !NOT_SETTINGS.has(spec.name));
  if (settings.some(({ spec, value }) => spec.name === "json" && value === true)) {
    const entries = settings.map(({ spec, value, origin }) => [spec.name, { value: value ?? null, origin }]);
    return jsonOutput({
      schema: "tilewright.config/1",
      input: null,
      device: null,
      summary: { command: command.name },
      options: Object.fromEntries(entries),
    });
  }
  // Written by hand, because the table renderer would be loaded with every --help.
  const style = styleOf(host, options);
  const rows = settings.map(({ spec, value, origin }) => ({
    name: `--${spec.name}`,
    value: value === undefined ? "–" : Array.isArray(value) ? value.join(" ") : String(value),
    origin,
  }));
  host.tables?.({
    titles: ["Option", "Value", "Origin"],
    rows: rows.map(({ name, value, origin }) => [name, value, origin].map((text) => ({ text }))),
  });
  const names = Math.max(...rows.map((row) => row.name.length));
  const values = Math.max(...rows.map((row) => row.value.length));
  return rows.map(({ name, value, origin }) =>
    `${name.padEnd(names)}  ${value.padEnd(values)}  ${origin === "default" ? style.dim(origin) : origin}\n`
  ).join("");
}
