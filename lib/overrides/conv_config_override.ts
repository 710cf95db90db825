// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { CONV2D_CONFIG, CONV3D_CONFIG } from "../op_config/op_config.ts";
import { backendOnlyText } from "../op_config/parse.ts";
import type { Conv2dConfig, Conv3dConfig } from "../op_config/op_config.ts";
import type { Struct } from "../op_config/struct.ts";
import { OverrideText, split, type Token } from "./override_text.ts";

/**
 * Reads `--override-conv2d-config=conv_1=act_block_h_override#64:deallocate_activation#true,…` (tt-mlir
 * `Conv2dConfigOverrideParser`). `core_grid` cannot be given as text; `conv_1=` alone is legal and fixes
 * nothing.
 *
 * @example
 * ```ts
 * import { parseConv2dConfigOverrides } from "@tilewright/tilewright/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const overrides = parseConv2dConfigOverrides("conv_1=act_block_h_override#64:deallocate_activation#true");
 * assertEquals(overrides.get("conv_1"), { actBlockHOverride: 64, deallocateActivation: true });
 * ```
 *
 * @throws {DiagnosticError} on an unknown field, a bad value or a field that comes twice, pointing at it
 */
export function parseConv2dConfigOverrides(text: string): Map<string, Conv2dConfig> {
  return parseConfigOverrides("--override-conv2d-config", text, CONV2D_CONFIG);
}

/**
 * Reads `--override-conv3d-config`: the grammar of {@linkcode parseConv2dConfigOverrides} over the block sizes.
 *
 * @throws {DiagnosticError} on an unknown field, a bad value or a field that comes twice, pointing at it
 */
export function parseConv3dConfigOverrides(text: string): Map<string, Conv3dConfig> {
  return parseConfigOverrides("--override-conv3d-config", text, CONV3D_CONFIG);
}

function parseConfigOverrides<Config>(
  option: string,
  text: string,
  struct: Struct<Config>,
): Map<string, Config> {
  const source: OverrideText = new OverrideText(option, text);
  const overrides = new Map<string, Config>();
  for (const { name, values } of source.entries()) {
    const config = new Map<string, unknown>();
    for (const token of values) readConfigField(source, token, name, struct, config);
    overrides.set(name, v.parse(struct.schema, Object.fromEntries(config)));
  }
  return overrides;
}

function readConfigField(
  source: OverrideText,
  token: Token,
  name: string,
  { fields }: Struct<unknown>,
  config: Map<string, unknown>,
): void {
  const [field, value] = split(token, "#");
  if (field === undefined || value === undefined) {
    source.fail(token, `expected "field#value", got "${token.text}"`);
  }
  const row = Object.entries(fields).find(([, known]) => known.name === field.text);
  if (row === undefined) {
    const known = Object.values(fields).filter(({ backendOnly }) => !backendOnly)
      .map((known) => known.name).join(", ");
    source.fail(field, `"${field.text}" is not a field that can be overridden (${known})`);
  }
  const [key, { kind, backendOnly }] = row;
  if (backendOnly) source.fail(field, backendOnlyText(field.text));
  if (config.has(key)) source.fail(field, `"${name}" has two values for ${field.text}`);
  const { read, expected } = kind.inOverride ?? kind;
  // Upstream accepts flags in any case; other values are lower-case words and numbers.
  const found = read(value.text.toLowerCase(), (text) => text);
  if (found === undefined) {
    source.fail(value, `"${value.text}" is not a value for ${field.text}, which takes ${expected}`);
  }
  config.set(key, found);
}
