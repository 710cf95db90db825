// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { ttnnLayoutText } from "../../dialect/ttnn_layout_text.ts";
import { volume } from "../../layout/extents.ts";
import type { WorkerGrid } from "../../layout/make_layout.ts";
import { type AttributeTexts, printedDictionary } from "../../dialect/printed_attributes.ts";
import { withDeallocates } from "./deallocate.ts";
import { deviceText, systemDescriptionText } from "./device_text.ts";
import type { TtnnFunction } from "./ttnn_function.ts";
import type { TtnnOp, TtnnTensorType, TtnnType, TtnnValue } from "./ttnn_value.ts";

/** A module of TTNN functions to print. */
export interface TtnnModule {
  /** Symbol as printed, `@ResNet`; empty for none. */
  readonly symbol: string;
  /** Attributes of the outer module, repeated on the inner one. */
  readonly attributes: AttributeTexts;
  readonly chip: ChipDescription;
  /** Device mesh; empty for one chip outside of a mesh. */
  readonly mesh: readonly number[];
  readonly functions: readonly TtnnFunction[];
  /** Function declarations without a body, printed after the functions. */
  readonly declarations?: readonly string[];
  /** Alias definitions to print unchanged before the module (locations). */
  readonly leadingAliases?: readonly string[];
}

/**
 * Prints a module as upstream prints the newest generation: aliases sorted by name and numbered in order of first use,
 * `ttcore.device_module` around a `builtin.module` with the system description, the device, and the functions with a
 * `ttnn.deallocate` after every last use.
 */
export function writeModule(module: TtnnModule): string {
  const aliases = new LayoutAliases(module.chip.workerGrid);
  const functions = module.functions.map((func) => writeFunction(func, aliases)).join("");
  const outer = module.attributes.size === 0 ? "" : ` attributes ${printedDictionary(module.attributes)}`;
  const symbol = module.symbol === "" ? "" : ` ${module.symbol}`;
  const inner = new Map([...module.attributes, ["ttcore.system_desc", "#system_desc"]]);
  const chips = Math.max(1, volume(module.mesh));
  const declarations = (module.declarations ?? []).map((text) => `      ${text}\n`).join("");
  return [
    ...(module.leadingAliases ?? []).map((line) => `${line}\n`),
    ...aliases.definitions(systemDescriptionText(module.chip, chips)).map((line) => `${line}\n`),
    `module${symbol}${outer} {\n`,
    "  ttcore.device_module {\n",
    `    builtin.module${symbol} attributes ${printedDictionary(inner)} {\n`,
    `      ttcore.device @default_device = <${deviceText(module.chip, module.mesh)}>\n`,
    functions,
    declarations,
    "    }\n",
    "  }\n",
    "}\n",
  ].join("");
}

/** Numbers layouts and buffer types in order of first use. */
class LayoutAliases {
  readonly #layouts: Map<string, string> = new Map();
  readonly #buffers: Set<string> = new Set();
  readonly #byType: WeakMap<TtnnTensorType, string> = new WeakMap();
  readonly #workerGrid: WorkerGrid;

  constructor(workerGrid: WorkerGrid) {
    this.#workerGrid = workerGrid;
  }

  name(type: TtnnTensorType): string {
    const known = this.#byType.get(type);
    if (known !== undefined) return known;
    const text = ttnnLayoutText(type.layout, type.shape, {
      generation: "G4",
      workerGrid: this.#workerGrid,
      bufferType: (bufferType) => {
        this.#buffers.add(bufferType);
        return `#${bufferType}`;
      },
    });
    let name = this.#layouts.get(text);
    if (name === undefined) {
      name = `#ttnn_layout${this.#layouts.size === 0 ? "" : this.#layouts.size}`;
      this.#layouts.set(text, name);
    }
    this.#byType.set(type, name);
    return name;
  }

  definitions(systemDescription: string): readonly string[] {
    const simple = [...this.#buffers].map((name) => [`#${name}`, `#ttnn.buffer_type<${name}>`]);
    simple.push(["#system_desc", `#ttcore.system_desc<${systemDescription}>`]);
    simple.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
    return [...simple, ...[...this.#layouts].map(([text, name]) => [name, text])]
      .map(([name, text]) => `${name} = ${text}`);
  }
}

const INDENT = "      ";

function writeFunction(func: TtnnFunction, aliases: LayoutAliases): string {
  const names = new Map<TtnnValue, string>();
  const typeText = (type: TtnnType): string =>
    type.kind === "other"
      ? type.text
      : `tensor<${[...type.shape, type.element].join("x")}, ${aliases.name(type)}>`;
  const parameters = func.arguments.map(({ value, attributes, location }, index) => {
    names.set(value, `%arg${index}`);
    const suffix = attributes.size === 0 ? "" : ` ${printedDictionary(attributes)}`;
    return `%arg${index}: ${typeText(value.type)}${suffix}${locationText(location)}`;
  });
  const results = func.results.map((value, index) => {
    const attributes = func.resultAttributes[index];
    return typeText(value.type) +
      (attributes === undefined || attributes.size === 0 ? "" : ` ${printedDictionary(attributes)}`);
  });
  const plain = results.length === 1 && (func.resultAttributes[0]?.size ?? 0) === 0;
  const resultText = results.length === 0 ? "" : ` -> ${plain ? results[0] : `(${results.join(", ")})`}`;
  const { header } = func;
  const attributes = header.attributes.size === 0
    ? ""
    : ` attributes ${printedDictionary(header.attributes)}`;
  const lines = [
    `${INDENT}func.func${header.isPrivate === true ? " private" : ""} @${header.name}` +
    `(${parameters.join(", ")})${resultText}${attributes} {`,
  ];
  const scope: Scope = { names, typeText, next: 0 };
  for (const op of withDeallocates(func)) lines.push(`${INDENT}  ${opText(op, scope)}`);
  const returned = func.results.length === 0
    ? "return"
    : `return ${func.results.map((value) => nameOf(value, scope)).join(", ")} : ` +
      func.results.map((value) => typeText(value.type)).join(", ");
  lines.push(`${INDENT}  ${returned}${locationText(header.location)}`);
  lines.push(`${INDENT}}${locationText(header.location)}`);
  return lines.map((line) => `${line}\n`).join("");
}

interface Scope {
  readonly names: Map<TtnnValue, string>;
  readonly typeText: (type: TtnnType) => string;
  next: number;
}

function nameOf(value: TtnnValue, scope: Scope): string {
  const name = scope.names.get(value);
  if (name === undefined) throw new RangeError("Cannot write an operand: it is used before its definition");
  return name;
}

function opText(op: TtnnOp, scope: Scope): string {
  const operands = op.operands.map((operand) => nameOf(operand, scope));
  const operandTypes = op.operands.map(({ type }) => scope.typeText(type)).join(", ");
  const resultTypes = op.results.map(({ type }) => scope.typeText(type));
  const signature = `(${operandTypes}) -> ` +
    (resultTypes.length === 1 ? resultTypes[0] : `(${resultTypes.join(", ")})`);
  const properties = op.properties.size === 0 ? "" : ` ${printedDictionary(op.properties, "<{", "}>")}`;
  const attributes = op.attributes.size === 0 ? "" : ` ${printedDictionary(op.attributes)}`;
  const body = op.name === "ttcore.load_cached"
    ? `${op.name}(@${op.callee}, [${operands.join(", ")}])${attributes} : ${signature}`
    : op.name === "call"
    ? `${op.name} @${op.callee}(${operands.join(", ")})${attributes} : ${signature}`
    : `"${op.name}"(${operands.join(", ")})${properties}${attributes} : ${signature}`;
  return `${resultNames(op, scope)}${body}${locationText(op.location)}`;
}

function resultNames(op: TtnnOp, scope: Scope): string {
  if (op.results.length === 0) return "";
  const name = `%${scope.next++}`;
  if (op.results.length === 1) {
    for (const result of op.results) scope.names.set(result, name);
    return `${name} = `;
  }
  op.results.forEach((result, index) => scope.names.set(result, `${name}#${index}`));
  return `${name}:${op.results.length} = `;
}

function locationText(location: string | undefined): string {
  return location === undefined ? "" : ` loc(${location})`;
}
