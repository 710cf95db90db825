// SPDX-License-Identifier: Apache-2.0
import { skipLocation } from "./location_scanner.ts";
import type {
  AttributeDictionary,
  Block,
  BlockArgument,
  Operation,
  Region,
  Span,
  Value,
  ValueSource,
} from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import { skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/** How the regions of an op relate to the scopes around them. */
export interface RegionContext {
  readonly isolated: boolean;
  /** See {@linkcode ValueScopes.push}. */
  readonly lenient: boolean;
  /** Arguments of the entry block that the op's header spells. */
  readonly entryArguments: readonly EntryArgument[];
}

/** An argument of an entry block that the op's header spells, as functions do. */
export interface EntryArgument {
  readonly name: string;
  readonly span: Span;
  readonly type: Span | undefined;
  readonly attributes: AttributeDictionary | undefined;
  readonly location: Span | undefined;
}

/** Parses a region `{ … }` of an op. */
export function parseRegion(
  parser: OperationParser,
  operation: Operation,
  context: RegionContext,
): Region {
  const { scanner } = parser;
  scanner.skipTrivia();
  const start = scanner.position;
  scanner.expect("{", `of a region of '${operation.name}'`);
  scanner.enter();
  parser.scopes.push(context.isolated, context.lenient);
  const blocks: Block[] = [];
  const region: Mutable<Region> = { span: { start, end: start }, blocks, operation };
  const labels = new Set<string>();
  let operations: Operation[] = [];
  let block: Mutable<Block> | undefined;
  if (context.entryArguments.length > 0) {
    block = addBlock(region, blocks, operations, undefined);
    defineEntryArguments(parser, block, context.entryArguments);
  }
  for (;;) {
    scanner.skipTrivia();
    const next = scanner.peek();
    if (next === "}") break;
    if (next === "") {
      throw scanner.error(
        "parse/unbalanced-bracket",
        start,
        `'{' of this region of '${operation.name}' is never closed; the file looks truncated`,
      );
    }
    if (next === "^") {
      operations = [];
      block = parseBlockLabel(parser, region, blocks, operations, labels);
      continue;
    }
    if (block === undefined) block = addBlock(region, blocks, operations, undefined);
    operations.push(parser.parseOperation(operation, block));
  }
  scanner.position++;
  region.span = scanner.spanFrom(start);
  checkSuccessors(parser, region, labels);
  parser.scopes.pop();
  scanner.leave();
  return region;
}

function addBlock(
  region: Region,
  blocks: Block[],
  operations: Operation[],
  label: string | undefined,
): Mutable<Block> {
  const block: Mutable<Block> = {
    label,
    arguments: [],
    operations,
    region,
  };
  blocks.push(block);
  return block;
}

function parseBlockLabel(
  parser: OperationParser,
  region: Region,
  blocks: Block[],
  operations: Operation[],
  labels: Set<string>,
): Mutable<Block> {
  const { scanner } = parser;
  const start = scanner.position;
  const name = scanner.sigilName("a block name after '^'");
  if (!parser.scopes.lenient && labels.has(name)) {
    throw scanner.error(
      "parse/duplicate-block",
      start,
      `redefinition of block '${name}'; rename one of them`,
    );
  }
  labels.add(name);
  const block = addBlock(region, blocks, operations, name);
  const blockArguments: BlockArgument[] = [];
  block.arguments = blockArguments;
  if (scanner.accept("(")) {
    if (!scanner.accept(")")) {
      do {
        scanner.skipTrivia();
        const argumentStart = scanner.position;
        if (scanner.peek() !== "%") throw scanner.expected("a block argument such as '%arg0: i32'");
        const argumentName = scanner.sigilName("a value name after '%'");
        scanner.expect(":", "after the name of a block argument");
        const type = skipType(scanner);
        const at = { block, index: blockArguments.length };
        const value = defineArgument(parser, at, argumentName, argumentStart, type);
        const location = skipLocation(scanner);
        const span = scanner.spanFrom(argumentStart);
        blockArguments.push({ value, span, attributes: undefined, location });
      } while (scanner.accept(","));
      scanner.expect(")", "or ',' after a block argument");
    }
  }
  scanner.expect(":", "after a block label");
  return block;
}

function defineEntryArguments(
  parser: OperationParser,
  block: Mutable<Block>,
  entryArguments: readonly EntryArgument[],
): void {
  block.arguments = entryArguments.map(({ name, span, type, attributes, location }, index) => ({
    value: defineArgument(parser, { block, index }, name, span.start, type),
    span,
    attributes,
    location,
  }));
}

function defineArgument(
  parser: OperationParser,
  at: Omit<Extract<ValueSource, { readonly kind: "argument" }>, "kind">,
  name: string,
  offset: number,
  type: Span | undefined,
): Value {
  const value: Value = { name, source: { kind: "argument", ...at }, type };
  parser.scopes.define(name, [value], offset);
  return value;
}

function checkSuccessors(parser: OperationParser, region: Region, labels: ReadonlySet<string>): void {
  if (parser.scopes.lenient) return;
  for (const block of region.blocks) {
    // Only the last op of a block may branch; MLIR's verifier says so, hence nothing is lost by looking there only.
    for (const successor of block.operations.at(-1)?.successors ?? []) {
      if (labels.has(successor.label)) continue;
      throw parser.scanner.error(
        "parse/undefined-block",
        successor.span.start,
        `reference to an undefined block '${successor.label}'; define it in this region`,
      );
    }
  }
}
