// SPDX-License-Identifier: Apache-2.0
import { attributeOf, type ModuleText, type Operation, type Patch } from "../ir/mod.ts";

/** Extents of windows that ops of early 2025 give one by one, by the lists in which today's ops give them. */
const PAIRS = { kernel_size: "kernel", stride: "stride", padding: "padding", dilation: "dilation" } as const;

/** Extents that a pool or convolution gives one by one (`kernel_height`, `kernel_width`), as lists. */
export function windowsInPairs(module: ModuleText, operation: Operation): readonly Patch[] {
  const { name, properties } = operation;
  if (properties === undefined || !name.startsWith("ttnn.")) return [];
  return Object.entries(PAIRS).flatMap(([list, stem]): readonly Patch[] => {
    const [height, width] = ["height", "width"].map((side) =>
      attributeOf(module, operation, `${stem}_${side}`)
    );
    if (height?.kind !== "integer" || width?.kind !== "integer") return [];
    return properties.entries.flatMap(({ key, span }, index): readonly Patch[] => {
      if (key === `${stem}_height`) {
        return [{ ...span, text: `${list} = array<i32: ${height.value}, ${width.value}>` }];
      }
      const before = properties.entries[index - 1]?.span.end;
      return key !== `${stem}_width` || before === undefined
        ? []
        : [{ start: before, end: span.end, text: "" }];
    });
  });
}
