// SPDX-License-Identifier: Apache-2.0
import type { Conv2dConfig, Conv3dConfig } from "../op_config/op_config.ts";
import { DATA_TYPES } from "../layout/data_type.ts";
import { TENSOR_MEMORY_LAYOUTS } from "../layout/ttnn_layout.ts";
import { PAGE_LAYOUTS } from "./output_layout_override.ts";
import { OverrideText, split, type Token } from "./override_text.ts";

/** Reads one value of a config field: the field, or the words that were expected. */
type FieldReader<Config> = (value: string) => Partial<Config> | { readonly expected: string };

/** How the overridable fields of a config are spelled, read and printed, in the order of printing. */
interface FieldGrammar<Config> {
  readonly name: string;
  readonly key: keyof Config;
  readonly read: FieldReader<Config>;
  readonly print: (config: Config) => string | undefined;
}

function word<Config, Word extends string>(
  words: readonly Word[],
  make: (value: Word) => Partial<Config>,
): FieldReader<Config> {
  return (text) => {
    const value = words.find((known) => known === text);
    return value === undefined ? { expected: words.join(", ") } : make(value);
  };
}

function flag<Config>(make: (value: boolean) => Partial<Config>): FieldReader<Config> {
  return (text) => {
    const lower = text.toLowerCase();
    return lower === "true" || lower === "false" ? make(lower === "true") : { expected: "true, false" };
  };
}

function count<Config>(make: (value: number) => Partial<Config>): FieldReader<Config> {
  return (text) =>
    /^\d+$/.test(text) && Number(text) < 2 ** 32
      ? make(Number(text))
      : { expected: "a 32-bit unsigned number" };
}

const CONV2D_FIELDS: readonly FieldGrammar<Conv2dConfig>[] = [
  {
    name: "weights_dtype",
    key: "weightsDtype",
    read: word(DATA_TYPES, (weightsDtype) => ({ weightsDtype })),
    print: (config) => config.weightsDtype,
  },
  {
    name: "activation",
    key: "activation",
    read: word(["relu"], (opType) => ({ activation: { opType, params: [] } })),
    print: (config) => config.activation?.opType,
  },
  {
    name: "deallocate_activation",
    key: "deallocateActivation",
    read: flag((deallocateActivation) => ({ deallocateActivation })),
    print: (config) => config.deallocateActivation?.toString(),
  },
  {
    name: "reallocate_halo_output",
    key: "reallocateHaloOutput",
    read: flag((reallocateHaloOutput) => ({ reallocateHaloOutput })),
    print: (config) => config.reallocateHaloOutput?.toString(),
  },
  {
    name: "act_block_h_override",
    key: "actBlockHOverride",
    read: count((actBlockHOverride) => ({ actBlockHOverride })),
    print: (config) => config.actBlockHOverride?.toString(),
  },
  {
    name: "act_block_w_div",
    key: "actBlockWDiv",
    read: count((actBlockWDiv) => ({ actBlockWDiv })),
    print: (config) => config.actBlockWDiv?.toString(),
  },
  {
    name: "reshard_if_not_optimal",
    key: "reshardIfNotOptimal",
    read: flag((reshardIfNotOptimal) => ({ reshardIfNotOptimal })),
    print: (config) => config.reshardIfNotOptimal?.toString(),
  },
  {
    name: "override_sharding_config",
    key: "overrideShardingConfig",
    read: flag((overrideShardingConfig) => ({ overrideShardingConfig })),
    print: (config) => config.overrideShardingConfig?.toString(),
  },
  {
    name: "shard_layout",
    key: "shardLayout",
    read: word(TENSOR_MEMORY_LAYOUTS, (shardLayout) => ({ shardLayout })),
    print: (config) => config.shardLayout,
  },
  {
    name: "core_grid",
    key: "coreGrid",
    read: () => ({ expected: "no value: a core grid cannot be overridden by text" }),
    print: () => undefined,
  },
  {
    name: "transpose_shards",
    key: "transposeShards",
    read: flag((transposeShards) => ({ transposeShards })),
    print: (config) => config.transposeShards?.toString(),
  },
  {
    name: "output_layout",
    key: "outputLayout",
    read: word(PAGE_LAYOUTS, (outputLayout) => ({ outputLayout })),
    print: (config) => config.outputLayout,
  },
  {
    name: "enable_act_double_buffer",
    key: "enableActDoubleBuffer",
    read: flag((enableActDoubleBuffer) => ({ enableActDoubleBuffer })),
    print: (config) => config.enableActDoubleBuffer?.toString(),
  },
  {
    name: "enable_weights_double_buffer",
    key: "enableWeightsDoubleBuffer",
    read: flag((enableWeightsDoubleBuffer) => ({ enableWeightsDoubleBuffer })),
    print: (config) => config.enableWeightsDoubleBuffer?.toString(),
  },
];

const CONV3D_FIELDS: readonly FieldGrammar<Conv3dConfig>[] = [
  {
    name: "weights_dtype",
    key: "weightsDtype",
    read: word(DATA_TYPES, (weightsDtype) => ({ weightsDtype })),
    print: (config) => config.weightsDtype,
  },
  {
    name: "t_out_block",
    key: "tOutBlock",
    read: count((tOutBlock) => ({ tOutBlock })),
    print: (config) => config.tOutBlock?.toString(),
  },
  {
    name: "w_out_block",
    key: "wOutBlock",
    read: count((wOutBlock) => ({ wOutBlock })),
    print: (config) => config.wOutBlock?.toString(),
  },
  {
    name: "h_out_block",
    key: "hOutBlock",
    read: count((hOutBlock) => ({ hOutBlock })),
    print: (config) => config.hOutBlock?.toString(),
  },
  {
    name: "c_out_block",
    key: "cOutBlock",
    read: count((cOutBlock) => ({ cOutBlock })),
    print: (config) => config.cOutBlock?.toString(),
  },
  {
    name: "c_in_block",
    key: "cInBlock",
    read: count((cInBlock) => ({ cInBlock })),
    print: (config) => config.cInBlock?.toString(),
  },
];

/**
 * Reads `--override-conv2d-config=conv_1=act_block_h_override#64:deallocate_activation#true,…` (tt-mlir
 * `Conv2dConfigOverrideParser`). `core_grid` cannot be given by text; `conv_1=` alone is legal and fixes nothing.
 *
 * @example
 * ```ts
 * import { parseConv2dConfigOverrides } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const overrides = parseConv2dConfigOverrides("conv_1=act_block_h_override#64:deallocate_activation#true");
 * assertEquals(overrides.get("conv_1"), { actBlockHOverride: 64, deallocateActivation: true });
 * ```
 *
 * @throws {DiagnosticError} on an unknown field, a bad value or a field that comes twice, pointing at it
 */
export function parseConv2dConfigOverrides(text: string): Map<string, Conv2dConfig> {
  return parseConfigOverrides<Conv2dConfig>("--override-conv2d-config", text, CONV2D_FIELDS, {});
}

/** Prints overrides so that {@linkcode parseConv2dConfigOverrides} reads them back. */
export function printConv2dConfigOverrides(overrides: ReadonlyMap<string, Conv2dConfig>): string {
  return printConfigOverrides(overrides, CONV2D_FIELDS);
}

/**
 * Reads `--override-conv3d-config`: the grammar of {@linkcode parseConv2dConfigOverrides} over the block sizes.
 *
 * @throws {DiagnosticError} on an unknown field, a bad value or a field that comes twice, pointing at it
 */
export function parseConv3dConfigOverrides(text: string): Map<string, Conv3dConfig> {
  return parseConfigOverrides<Conv3dConfig>("--override-conv3d-config", text, CONV3D_FIELDS, {});
}

function parseConfigOverrides<Config extends object>(
  option: string,
  text: string,
  grammar: readonly FieldGrammar<Config>[],
  empty: Config,
): Map<string, Config> {
  const source: OverrideText = new OverrideText(option, text);
  const overrides = new Map<string, Config>();
  for (const { name, values } of source.entries()) {
    let config: Config = empty;
    for (const token of values) {
      config = { ...config, ...readConfigField(source, token, name, grammar, config) };
    }
    overrides.set(name, config);
  }
  return overrides;
}

function readConfigField<Config extends object>(
  source: OverrideText,
  token: Token,
  name: string,
  grammar: readonly FieldGrammar<Config>[],
  config: Config,
): Partial<Config> {
  const [field, value] = split(token, "#");
  if (field === undefined || value === undefined) {
    source.fail(token, `expected "field#value", got "${token.text}"`);
  }
  const rule = grammar.find((known) => known.name === field.text);
  if (rule === undefined) {
    source.fail(
      field,
      `"${field.text}" is no field that can be overridden (${grammar.map((known) => known.name).join(", ")})`,
    );
  }
  if (config[rule.key] !== undefined) source.fail(field, `"${name}" has two values for ${rule.name}`);
  const read = rule.read(value.text);
  if ("expected" in read) {
    source.fail(value, `"${value.text}" is no value for ${rule.name}, which takes ${read.expected}`);
  }
  return read;
}

function printConfigOverrides<Config>(
  overrides: ReadonlyMap<string, Config>,
  grammar: readonly FieldGrammar<Config>[],
): string {
  return [...overrides].map(([name, config]) => {
    const fields = grammar.flatMap((rule) => {
      const value = rule.print(config);
      return value === undefined ? [] : [`${rule.name}#${value}`];
    });
    return `${name}=${fields.join(":")}`;
  }).join(",");
}
