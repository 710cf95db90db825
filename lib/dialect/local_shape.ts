// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";

/** What the text says of an argument or result of a function of several chips. */
export interface LocalShape {
  /** Extents of the part that one chip has. */
  readonly shape: readonly number[];
  /** Whether the chips hold their parts before the program starts, or after it ends (`ttcore.shard_status`). */
  readonly isPresharded: boolean;
}

/** `ttcore.local_shape` of an argument or result; `undefined` where it says none, or one that is no ranked tensor. */
export function readLocalShape(attributes: AttributeMap): LocalShape | undefined {
  const local = attributes.get("ttcore.local_shape");
  const status = attributes.get("ttcore.shard_status");
  const type = local?.kind === "dialect" ? /tensor<((?:\d+x)*)[^<>]*>/.exec(local.body) : null;
  if (type === null) return undefined;
  return {
    shape: (type[1] ?? "").split("x").filter((extent) => extent !== "").map(Number),
    isPresharded: status?.kind === "dialect" && status.body.trim() === "presharded",
  };
}
