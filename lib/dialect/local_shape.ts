// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { functionsOf } from "../ir/functions.ts";
import type { ModuleText, Span } from "../ir/module_text.ts";
import { DYNAMIC, tensorTypeAt } from "../ir/tensor_type.ts";

/** The part of an argument or result that one chip has, in a function of several chips. */
export interface LocalShape {
  /** Extents of the part that one chip has. */
  readonly shape: readonly number[];
  /** Whether the chips hold their parts before the program starts, or after it ends (`ttcore.shard_status`). */
  readonly isPresharded: boolean;
}

/** An argument or result of a function with its part on one chip. */
export interface SpreadTensor extends LocalShape {
  /** Name of the function. */
  readonly function: string;
  /** Its number among the arguments or results, as in `argument 3`. */
  readonly place: string;
  /** Extents of its type. */
  readonly whole: readonly number[];
  /** Span of the type. */
  readonly span: Span;
}

/** All of them in a module, in source order; those of dynamic shape are left out. */
export function spreadTensors(module: ModuleText): readonly SpreadTensor[] {
  const read = (
    name: string,
    place: string,
    span: Span,
    attributes: AttributeMap,
  ): readonly SpreadTensor[] => {
    const local = readLocalShape(attributes);
    const whole = tensorTypeAt(module, span)?.shape;
    if (local === undefined || whole === undefined || whole.includes(DYNAMIC)) return [];
    return [{ ...local, function: name, place, whole, span }];
  };
  return functionsOf(module).flatMap(({ name, arguments: given, resultTypes, resultAttributes }) => [
    ...given.flatMap(({ type, attributes }, index) => read(name, `argument ${index}`, type, attributes)),
    ...resultTypes.flatMap((type, index) =>
      read(name, `result ${index}`, type, resultAttributes[index] ?? new Map())
    ),
  ]);
}

/** `ttcore.local_shape` of an argument or result; `undefined` without one, or if it is not a ranked tensor. */
export function readLocalShape(attributes: AttributeMap): LocalShape | undefined {
  const local = attributes.get("ttcore.local_shape") ?? attributes.get("tt.local_shape");
  const status = attributes.get("ttcore.shard_status") ?? attributes.get("tt.shard_status");
  const type = local?.kind === "dialect" ? /tensor<((?:\d+x)*)[^<>]*>/.exec(local.body) : null;
  if (type === null) return undefined;
  return {
    shape: (type[1] ?? "").split("x").filter((extent) => extent !== "").map(Number),
    isPresharded: status?.kind === "dialect" && status.body.trim() === "presharded",
  };
}

/** The attributes that say a part of another shape of the same elements, as printed; none where `attributes` say none. */
export function printLocalShape(
  attributes: AttributeMap,
  shape: readonly number[],
): ReadonlyMap<string, string> {
  const extents = shape.map((extent) => `${extent}x`).join("");
  return new Map(
    ["ttcore.local_shape", "tt.local_shape"].flatMap((name): [string, string][] => {
      const local = attributes.get(name);
      if (local?.kind !== "dialect") return [];
      const body = local.body.replace(/tensor<(?:\d+x)*/, `tensor<${extents}`);
      return [[name, `#${local.dialect}<${local.mnemonic} ${body}>`]];
    }),
  );
}
