// SPDX-License-Identifier: Apache-2.0
import { type DataType, parseDataType } from "../layout/data_type.ts";
import { type Attribute, splitTopLevel } from "../ir/mod.ts";

/** Fields that lead a `#ttnn.conv2d_config`, in the order in which they print (tt-mlir:config-attributes). */
const LEADING = ["weights_dtype", "activation"] as const;

/** Fields that a pass sets in the config of a convolution. */
export interface ConvolutionFields {
  /** Format of the weights. */
  readonly weights_dtype?: DataType;
  /** Name of an elementwise op, without its dialect. */
  readonly activation?: string;
  /** Rows of an activation block. */
  readonly act_block_h_override?: number;
}

/**
 * The config of a convolution with fields set, as printed.
 *
 * @param config aliases resolved; `undefined` if the op has none
 * @returns `undefined` if the attribute is no such config
 */
export function convolutionConfig(
  config: Attribute | undefined,
  fields: ConvolutionFields,
): string | undefined {
  const body = config === undefined ? "" : bodyOf(config);
  if (body === undefined) return undefined;
  const given = new Map(splitTopLevel(body, ",").map((field) => [field.split("=")[0]?.trim() ?? "", field]));
  const { weights_dtype: weights, activation, act_block_h_override: rows } = fields;
  if (rows !== undefined) given.set("act_block_h_override", `act_block_h_override = ${rows}`);
  if (weights !== undefined) given.set("weights_dtype", `weights_dtype = ${weights}`);
  if (activation !== undefined) given.set("activation", `activation = <op_type = ${activation}>`);
  const leading = LEADING.flatMap((name) => given.get(name) ?? []);
  for (const name of LEADING) given.delete(name);
  return `#ttnn.conv2d_config<${[...leading, ...given.values()].join(", ")}>`;
}

/**
 * The config without a field; `undefined` if it has none, or the attribute is no such config.
 *
 * @param value that the field must have to be left out; by default any
 */
export function withoutConvolutionField(
  config: Attribute | undefined,
  name: string,
  value?: string,
): string | undefined {
  const fields = splitTopLevel(config === undefined ? "" : bodyOf(config) ?? "", ",");
  const kept = fields.filter((field) => {
    const [key, ...rest] = field.split("=").map((part) => part.trim());
    return key !== name || value !== undefined && rest.join("=") !== value;
  });
  return kept.length === fields.length ? undefined : `#ttnn.conv2d_config<${kept.join(",").trim()}>`;
}

/** The elementwise op, without its dialect, that a convolution applies to its result; `undefined` if none. */
export function convolutionActivation(config: Attribute | undefined): string | undefined {
  return /\bactivation\s*=\s*<\s*op_type\s*=\s*(\w+)\s*>/.exec(
    config === undefined ? "" : bodyOf(config) ?? "",
  )?.[1];
}

/** The `weights_dtype` of a config; `undefined` if it states none, so that the weights keep their format. */
export function weightsFormat(config: Attribute | undefined): DataType | undefined {
  const body = config === undefined ? undefined : bodyOf(config);
  const fields = splitTopLevel(body ?? "", ",").map((field) => field.split("=").map((part) => part.trim()));
  const [, text] = fields.find(([name]) => name === "weights_dtype") ?? [];
  return text === undefined ? undefined : parseDataType(text);
}

export function hasConvolutionField(config: Attribute | undefined, name: keyof ConvolutionFields): boolean {
  const body = config === undefined ? undefined : bodyOf(config);
  return body !== undefined && splitTopLevel(body, ",").some((field) => field.split("=")[0]?.trim() === name);
}

function bodyOf(config: Attribute): string | undefined {
  return config.kind === "dialect" && config.mnemonic === "conv2d_config" ? config.body : undefined;
}
