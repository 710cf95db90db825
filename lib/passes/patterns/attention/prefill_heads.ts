// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, madeBy, runsInDram } from "../matching.ts";

/**
 * Query, key and value sliced from one matmul, each reshaped to heads and permuted, →
 * `split_query_key_value_and_split_heads` (tt-mlir:ttnn-fusing). Further columns stay with their other
 * readers.
 */
export const fuseSplitHeads: RewritePattern = splittingPattern("fuse-split-heads", "level-1", partOf);

/**
 * As {@linkcode fuseSplitHeads}, for a single position per user. Its heads are a reshape of the matmul
 * result, which is faster than the op and stays.
 */
export const splitSinglePositions: RewritePattern = splittingPattern(
  "split-single-positions",
  "only-level-1",
  singlePosition,
);

function splittingPattern(
  name: string,
  upstream: RewritePattern["upstream"],
  partAt: typeof partOf,
): RewritePattern {
  return replacing({
    name,
    upstream,
    roots: ["ttnn.matmul", "ttnn.linear"],
    replace: (op, before, product) => {
      const found = matchHeads(product, partAt);
      // After the matmul, before all of its readers.
      const anchor = op.next;
      if (found === undefined || anchor === undefined) return undefined;
      const site = before.at(anchor);
      const { parts: [query, key, value], batch, rows, size } = found;
      const { dataType } = product.type;
      const heads = [query, key, value].map((part) => site.type([batch, part.heads, rows, size], dataType));
      const width = (query.heads + 2 * key.heads) * size;
      const opName = "ttnn.split_query_key_value_and_split_heads";
      const properties = {
        num_heads: query.heads,
        num_kv_heads: key.heads === query.heads ? undefined : key.heads,
        transpose_key: false,
      };
      const given = site.type([batch, rows, width], dataType);
      if (!site.context.isLegal(site.question(opName, [given], heads, properties))) return undefined;
      const joined = site.reshape(site.slice(product, -1, { from: 0, to: width }), given.shape);
      const split = site.insert(opName, [joined], heads, properties);
      return new Map([query, key, value].map(({ permuted }, index) => {
        const result = split.tensorResultAt(index);
        return [permuted, site.typecast(result, permuted.type.dataType)];
      }));
    },
  });
}

/** One of query, key and value. */
interface SplitPart {
  readonly heads: number;
  /** `[batch, heads, rows, size]`. */
  readonly permuted: TensorValue;
  readonly from: number;
  readonly to: number;
}

interface SplitHeads {
  readonly parts: readonly [SplitPart, SplitPart, SplitPart];
  readonly batch: number;
  readonly rows: number;
  readonly size: number;
}

function matchHeads(product: TensorValue, partAt: typeof partOf): SplitHeads | undefined {
  const parts = [product, ...inBatches(product)].flatMap((carrier) =>
    [...carrier.uses.keys()].flatMap((user) => partAt(user, carrier) ?? [])
  ).sort((a, b) => a.from - b.from);
  const [query, key, value] = parts;
  if (query === undefined || key === undefined || value === undefined) return undefined;
  const adjoining = query.from === 0 && key.from === query.to && value.from === key.to;
  const [batch = 1, , rows = 1, size = 1] = query.permuted.type.shape;
  const equivalent = [query, key, value].every(({ permuted, heads }) =>
    sameExtents(permuted.type.shape, [batch, heads, rows, size])
  );
  // The kernel requires heads of whole tiles (tt-metal nlp_create_qkv_heads).
  if (
    !adjoining || !equivalent || size % 32 !== 0 || key.heads !== value.heads || query.heads % key.heads !== 0
  ) {
    return undefined;
  }
  return { parts: [query, key, value], batch, rows, size };
}

/** Reshapes of the matmul result that split its rows into batches. */
function inBatches({ type, uses }: TensorValue): readonly TensorValue[] {
  return [...uses.keys()].flatMap((user) => {
    const result = user.name === "ttnn.reshape" ? user.tensorResult : undefined;
    return result !== undefined && result.type.shape.at(-1) === type.shape.at(-1) ? [result] : [];
  });
}

/** A slice of whole heads of the matmul result that is only used as heads. */
function partOf(user: TtnnOp, product: TensorValue): SplitPart | undefined {
  const cut = cutOf(user);
  if (cut === undefined || cut.dim !== product.type.shape.length - 1) return undefined;
  const reshape = user.result.onlyUser;
  const split = reshape?.tensorResult;
  const shape = split?.type.shape ?? [];
  if (reshape === undefined || split === undefined || madeBy(split, "reshape") === undefined) {
    return undefined;
  }
  // A single head with several rows needs no permute.
  const isOneHead = shape.length === 4 && shape[1] === 1 && shape[2] !== 1 && shape[3] === cut.to - cut.from;
  if (isOneHead && split.type.dataType === product.type.dataType) {
    return { heads: 1, permuted: split, from: cut.from, to: cut.to };
  }
  const permute = reshape.result.onlyUser;
  const permuted = permute?.tensorResult;
  const [, , heads = 1, size = 1] = shape;
  const splits = permute?.name === "ttnn.permute" && permuted !== undefined && shape.length === 4 &&
    sameExtents(permute.read(PERMUTE).permutation, [0, 2, 1, 3]) && heads * size === cut.to - cut.from &&
    permuted.type.dataType === product.type.dataType;
  return splits ? { heads, permuted, from: cut.from, to: cut.to } : undefined;
}

/**
 * A slice of whole heads of the matmul result that is reshaped to one position per user, with at most a
 * typecast in between.
 */
function singlePosition(user: TtnnOp, product: TensorValue): SplitPart | undefined {
  const cut = cutOf(user);
  if (cut === undefined || cut.dim !== product.type.shape.length - 1) return undefined;
  const part = user.result.onlyUser;
  const split = part?.name === "ttnn.typecast" ? part.result.onlyUser?.tensorResult : part?.tensorResult;
  const [batch, heads = 1, rows, size = 1, ...others] = split?.type.shape ?? [];
  if (split === undefined || madeBy(split, "reshape") === undefined || others.length > 0) return undefined;
  const fits = rows === 1 && batch === product.type.shape[0] && heads * size === cut.to - cut.from;
  return fits ? { heads, permuted: split, from: cut.from, to: cut.to } : undefined;
}

/**
 * `reshape(permute [0, 2, 1, 3])`, which merges heads after positions, → `concatenate_heads`
 * (tt-mlir:ttnn-fusing). Batch and positions may be merged as well.
 */
export const fuseConcatenateHeads: RewritePattern = replacing({
  name: "fuse-concatenate-heads",
  upstream: "level-1",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const permute = madeBy(op.operands[0], "permute");
    const input = permute?.tensorOperand(0);
    if (permute === undefined || input === undefined) return undefined;
    const { shape, dataType } = input.type;
    const [batch = 1, heads = 1, rows = 1, size = 1] = shape;
    const merges = shape.length === 4 && sameExtents(permute.read(PERMUTE).permutation, [0, 2, 1, 3]) &&
      result.type.shape.at(-1) === heads * size && input.type.layout.tile !== undefined;
    if (!merges || result.type.dataType !== dataType) return undefined;
    const joined = site.type([batch, rows, heads * size], dataType);
    const rowsOfHeads = site.opIfLegal("ttnn.concatenate_heads", [input], joined);
    return rowsOfHeads && site.reshape(rowsOfHeads, result.type.shape);
  },
});

/**
 * `concatenate_heads` → `reshape(permute [0, 2, 1, 3])` if its kernel refuses the heads in every memory, for instance
 * because they do not fill tiles (`ttnn:backend-0-81-1`).
 */
export const splitConcatenateHeads: RewritePattern = replacing({
  name: "split-concatenate-heads",
  upstream: "none",
  roots: ["ttnn.concatenate_heads"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || input.type.shape.length !== 4 || runsInDram(op, site.context)) {
      return undefined;
    }
    return site.reshape(site.permute(input, [0, 2, 1, 3]), result.type.shape);
  },
});
