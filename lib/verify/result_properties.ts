// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { COMMON } from "../ops/attributes/common.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import { coreRangeSetText } from "../dialect/core_range_set.ts";
import { memoryConfigOf, parseMemoryConfig } from "../dialect/memory_config.ts";
import { aliasTextOf, layoutOfValue } from "../dialect/ttnn_layout.ts";
import type { Attribute } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { attributeText } from "../ir/attribute_text.ts";
import type { Operation } from "../ir/module_text.ts";
import { tensorTypeOf } from "../ir/tensor_type.ts";
import { mergeCoreRanges } from "../layout/core_range.ts";
import { parseDataType } from "../layout/data_type.ts";
import { formatExtents } from "../layout/layout_error.ts";
import { pagesOf, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { faultsIn } from "../ops/op_attributes.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V8: if an op repeats facts of its result layout (`dtype`, `layout`, `memory_config`, depending on the
 * generation), both agree. V12: memory ops change only what they may; for layouts that we did not create this
 * is a warning, because for some weeks of 2026 `to_layout` without properties could change everything at once.
 *
 * @param isCreated whether we created the layout of a tensor type with the given encoding text
 */
export function verifyResultProperties(reporter: Reporter, isCreated: (encoding: string) => boolean): void {
  const { module } = reporter;
  for (const operation of module.operations) {
    if (!operation.name.startsWith("ttnn.")) continue;
    const layout = operation.results.length > 1 ? undefined : layoutOfValue(module, operation.results[0]);
    if (layout === undefined) continue;
    const attributes = attributeMap(module, operation);
    if (faultsIn(attributes, COMMON).length > 0) continue;
    const { dtype, layout: pages, memory_config } = readAttributes({ attributes }, COMMON);
    verifyDataType(reporter, operation, dtype, layout);
    verifyPageLayout(reporter, operation, pages, layout);
    verifyMemoryConfig(reporter, operation, memory_config, layout);
    const encoding = operation.results[0] && tensorTypeOf(module, operation.results[0])?.encoding;
    const severity = encoding !== undefined && isCreated(encoding) ? "error" : "warning";
    verifyMemoryOp(reporter, operation, layout, attributes.size === 0, severity);
  }
}

function contradiction(
  reporter: Reporter,
  operation: Operation,
  key: string,
  says: string,
  result: string,
): void {
  reporter.error(
    `V8/${key}`,
    operation.nameSpan,
    `${key} of '${operation.name}' says ${says}, but its result is ${result}`,
  );
}

function verifyDataType(
  reporter: Reporter,
  operation: Operation,
  word: string | undefined,
  layout: TtnnLayout,
): void {
  const dataType = word === undefined ? undefined : parseDataType(word);
  if (dataType === undefined || dataType === layout.dataType) return;
  contradiction(reporter, operation, "dtype", dataType, layout.dataType);
}

function verifyPageLayout(
  reporter: Reporter,
  operation: Operation,
  word: string | undefined,
  layout: TtnnLayout,
): void {
  if (word !== "tile" && word !== "row_major") return;
  const actual = pagesOf(layout);
  if (word !== actual) contradiction(reporter, operation, "layout", word, actual);
}

function verifyMemoryConfig(
  reporter: Reporter,
  operation: Operation,
  attribute: Attribute | undefined,
  layout: TtnnLayout,
): void {
  if (attribute?.kind !== "dialect" || attribute.mnemonic !== "memory_config") return;
  const config = parseMemoryConfig(attributeText(attribute), aliasTextOf(reporter.module));
  if (config === undefined) return;
  const actual = memoryConfigOf(layout);
  const memory = (of: typeof config) =>
    `${of.bufferType}${of.memoryLayout === undefined ? "" : ` ${of.memoryLayout}`}`;
  if (memory(config) !== memory(actual)) {
    contradiction(reporter, operation, "memory_config", memory(config), memory(actual));
    return;
  }
  if (config.shardSpec === undefined || actual.shardSpec === undefined) return;
  const shape = formatExtents(config.shardSpec.shape);
  const actualShape = formatExtents(actual.shardSpec.shape);
  if (shape !== actualShape) {
    contradiction(reporter, operation, "memory_config", `shards of ${shape}`, `sharded ${actualShape}`);
    return;
  }
  const cores = coreRangeSetText(mergeCoreRanges(config.shardSpec.coreRanges));
  const actualCores = coreRangeSetText(mergeCoreRanges(actual.shardSpec.coreRanges));
  if (cores !== actualCores) {
    contradiction(reporter, operation, "memory_config", `cores ${cores}`, `on ${actualCores}`);
  }
}

/**
 * @param isNewest whether the op is written without properties, as from mid 2026 on; before, `to_layout` could
 * change everything at once
 */
function verifyMemoryOp(
  reporter: Reporter,
  operation: Operation,
  result: TtnnLayout,
  isNewest: boolean,
  severity: Severity,
): void {
  const value = operation.operands[0]?.value;
  const source = layoutOfValue(reporter.module, value);
  if (source === undefined) return;
  const changesPage = (source.tile === undefined) !== (result.tile === undefined);
  if (operation.name === "ttnn.to_memory_config" && (changesPage || source.dataType !== result.dataType)) {
    reporter.report(
      "V12/to-memory-config",
      severity,
      operation.nameSpan,
      "'ttnn.to_memory_config' may change only memory, but it changes the page layout or the data type; use 'ttnn.to_layout'",
    );
  }
  const changesMemory = source.bufferType !== result.bufferType ||
    source.memoryLayout !== result.memoryLayout;
  if (operation.name === "ttnn.to_layout" && isNewest && changesMemory) {
    reporter.report(
      "V12/to-layout",
      severity,
      operation.nameSpan,
      "'ttnn.to_layout' may change only the page layout and the data type, but it changes memory; use 'ttnn.to_memory_config'",
    );
  }
}
