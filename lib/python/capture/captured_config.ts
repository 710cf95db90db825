// SPDX-License-Identifier: Apache-2.0

/** Configs as captures print them, in C++'s words, and as TTNN IR spells them (ttnn:backend-0-81-1). */

import { ttnnFormat } from "../../layout/data_type.ts";
import { splitTopLevel } from "../../ir/balanced.ts";
import { COMPUTE_KERNEL_CONFIG, configKind, OP_CONFIGS } from "../../op_config/op_config.ts";
import type { Slot, Struct } from "../../op_config/struct.ts";
import type { UnaryWithParam } from "../../op_config/value_kinds.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { coreRangeSetText } from "../../dialect/core_range_set.ts";
import { rangesIn } from "./captured_tensor.ts";

/** The compute config in the text of a device operation, as TTNN IR spells it; `undefined` if it names none. */
export function computeConfigIn(text: string): string | undefined {
  const [found] = /ComputeKernelConfig\([^()]*\)/.exec(text) ?? [];
  return found === undefined ? undefined : structIn(COMPUTE_KERNEL_CONFIG, found);
}

/** The property of an op that a config becomes; `undefined` for other texts, or for a value without a word here. */
export function configIn(opName: string, text: string): readonly [key: string, value: string] | undefined {
  const { config } = definitionOf(opName);
  const name = /^(\w+)\(/.exec(text)?.[1]?.toLowerCase().replace("op2d", "conv2d");
  if (config === undefined || name === undefined) return undefined;
  for (
    const { property = config.program, structs } of Object.values<Slot<unknown>>(
      OP_CONFIGS[configKind(config.kind)],
    )
  ) {
    const struct = structs.find(({ mnemonic }) => mnemonic.replaceAll("_", "") === name);
    const value = struct === undefined ? undefined : structIn(struct, text);
    if (property !== undefined && value !== undefined) return [property, value];
  }
  return undefined;
}

const FUNCTION = /UnaryOpType(?:::|\.)(\w+)(?:,\s*params?=[[{]([-\d.e, ]*)[\]}])?/g;

/**
 * Functions that an op applies, such as `[UnaryOpType.SILU]` or `UnaryWithParam(op_type=UnaryOpType::RELU)`; `undefined`
 * for a text that names others.
 */
export function functionsIn(text: string): readonly UnaryWithParam[] | undefined {
  const found = [...text.matchAll(FUNCTION)].map(([, name = "", params = ""]): UnaryWithParam => ({
    opType: name.toLowerCase(),
    params: splitTopLevel(params, ",").map(Number),
  }));
  return found.length > 0 || /^\W*$/.test(text) ? found : undefined;
}

/** `Name(field=value,…)` with the fields that TTNN IR has as well. */
function structIn({ mnemonic, fields, positions }: Struct<unknown>, text: string): string | undefined {
  const body = /^\w+\((.*)\)/s.exec(text)?.[1] ?? "";
  const values = new Map(
    splitTopLevel(body, ",").map((field) => {
      const [name = "", ...value] = field.split("=");
      return [name.trim().toLowerCase(), value.join("=").trim()] as const;
    }),
  );
  const said: string[] = [];
  for (const { name, kind, backendOnly, required } of Object.values(fields)) {
    const value = values.get(name);
    if (value === undefined || value.startsWith("std::nullopt")) {
      if (required) return undefined;
    } else if (!backendOnly) {
      const read = spellings(value).map((text) => kind.read(text, (alias) => alias))
        .find((found) => found !== undefined);
      if (read === undefined) return undefined;
      said.push(positions.length > 0 ? kind.print(read) : `${name} = ${kind.print(read)}`);
    }
  }
  return `#ttnn.${mnemonic}<${said.join(", ")}>`;
}

/** A value of C++ as TTNN IR may spell it: which of them it is depends on the field. */
function spellings(value: string): readonly string[] {
  const last = /(\w+)\W*$/.exec(value)?.[1] ?? "";
  return [
    value,
    value === "1" ? "true" : value === "0" ? "false" : last.toLowerCase(),
    ttnnFormat(last) ?? "",
    value.replace(/^(\d+)-(\d+)$/, "<$1, $2>"),
    `<op_type = ${functionsIn(value)?.[0]?.opType ?? ""}>`,
    coreRangeSetText(rangesIn(value)),
  ];
}
