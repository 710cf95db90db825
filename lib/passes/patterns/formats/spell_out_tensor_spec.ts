// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_TILE } from "../../../layout/ttnn_layout.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";

/**
 * `to_tensor_spec`, which may change memory, pages and format of a tensor at once, becomes the ops that change them one
 * after another, by way of interleaved DRAM (tt-mlir: `TTNNDecomposeLayouts`): patterns and policies know only those ops.
 */
export const spellOutTensorSpec: RewritePattern = replacing({
  name: "spell-out-tensor-spec",
  upstream: "level-0",
  roots: ["ttnn.to_tensor_spec"],
  atLoad: true,
  replace: (op, site, { type: wanted }) => {
    const source = op.tensorOperand(0);
    return source && converted(source, wanted, site);
  },
});

/**
 * The tensor in memory, pages and format of a type, one after another; `undefined` if the format of rows changes, and for
 * types that no op makes of the other: other tiles, or an element that is not the layout's.
 */
export function converted(
  source: TensorValue,
  wanted: TtnnTensorType,
  site: PassBuilder,
): TensorValue | undefined {
  const types = [source.type, wanted];
  const tiles = new Set(types.map(({ layout: { tile } }) => tile && `${tile.height}x${tile.width}`));
  const isOfOther = types.some(({ dataType, layout }) => dataType !== layout.dataType);
  if (isOfOther || tiles.size > 1 && tiles.difference(USUAL).size > 0) return undefined;
  const formatStays = source.type.dataType === wanted.dataType;
  // Formats change in tiles.
  if (!formatStays && isInRows(source.type) && isInRows(wanted)) return undefined;
  const onlyMoves = formatStays && isInRows(source.type) === isInRows(wanted);
  if (onlyMoves) return moved(source, wanted, site);
  const inDram = moved(
    source,
    site.type(source.type.shape, source.type.dataType, pagesOf(source.type)),
    site,
  );
  const tiled = isInRows(wanted) ? inDram : inPages(inDram, wanted, site);
  const cast = site.typecast(tiled, wanted.dataType);
  return moved(inPages(cast, wanted, site), wanted, site);
}

/** Pages between which ops convert. */
const USUAL: ReadonlySet<string | undefined> = new Set([
  undefined,
  `${DEFAULT_TILE.height}x${DEFAULT_TILE.width}`,
]);

function isInRows({ layout }: TtnnTensorType): boolean {
  return layout.tile === undefined;
}

function pagesOf(type: TtnnTensorType): { readonly rowMajor: boolean } {
  return { rowMajor: isInRows(type) };
}

/** In the pages of another type, in interleaved DRAM. */
function inPages(value: TensorValue, wanted: TtnnTensorType, site: PassBuilder): TensorValue {
  if (isInRows(value.type) === isInRows(wanted)) return value;
  const { shape, dataType } = value.type;
  return site.op("ttnn.to_layout", [value], site.type(shape, dataType, pagesOf(wanted)));
}

/** The tensor in the memory of a type of the same pages and format. */
function moved(value: TensorValue, wanted: TtnnTensorType, site: PassBuilder): TensorValue {
  if (sameType(value.type, wanted)) return value;
  const [fromHost, toHost] = [value.type, wanted].map(({ layout }) => layout.bufferType === "system_memory");
  if (toHost === true) return site.op("ttnn.from_device", [value], wanted);
  return fromHost === true
    ? site.op("ttnn.to_device", [value, site.device()], wanted)
    : site.op("ttnn.to_memory_config", [value], wanted);
}
