// SPDX-License-Identifier: Apache-2.0
import { OP_CONFIGS } from "../../../lib/op_config/op_config.ts";
import { knownOps } from "../../../lib/ops/op_book.ts";
import type { CheckWords } from "../check_subject.ts";
import type { AskedOperand, Term } from "./requirement.ts";
import { EXTENTS } from "./term_words.ts";

/** Names of variables that hold an extent. */
const COMPUTED_EXTENT =
  /(?:^|_)(?:head_?(?:dim|size)|seq|[MNK]_tiles|hidden_?(?:dim|size)?|seq_?len(?:gth)?|sequence_length|channels?|total_(?:height|width)|batch(?:_size)?|num_users|(?:operand|grad|input|output|[abqkv])_dim)(?:_padded|_in_tiles)?$/;

/** Whether a term is an extent of a tensor, or a variable that holds one: it is padded. */
export function isPadded(term: Term): boolean {
  return term.kind === "operand" && term.aspect === "extent" || isExtentName(term);
}

const plain = (name: string): string => name.replace(/\[.*$/, "").replaceAll("_", "").toLowerCase();

/** Arguments of ops, without underscores, in small letters. */
const ARGUMENTS: readonly string[] = knownOps().flatMap(({ attributes }) => Object.keys(attributes ?? {}))
  .map(plain);

/** Fields of the slots of op configs, spelled the same way, with the names of the slots. */
const FIELDS: readonly (readonly [slot: string, field: string])[] = Object.values(OP_CONFIGS).flatMap((
  slots,
) =>
  Object.entries(slots).flatMap(([slot, { structs }]) =>
    structs.flatMap(({ json }) =>
      Object.keys(json["properties"] ?? {}).map((field) => [slot, plain(field)] as const)
    )
  )
);

/** Arguments of ttnn in Python that the dialect has none of. */
const OF_PYTHON = [
  "num_out_blocks",
  "core_grid",
  "sub_core_grids",
  "num_slices",
  "compute_kernel_config",
  "queue_id",
];

/** Names of the arguments of calls and of the fields of their configs. */
const SETTABLE: ReadonlySet<string> = new Set([
  ...ARGUMENTS,
  ...OF_PYTHON.map(plain),
  ...FIELDS.flatMap(([slot, field]) => [plain(slot), field]),
]);

/** Whether a name is of an extent that an op computes from its operands: it is padded with them. */
export function isExtentName(term: Term): boolean {
  return term.kind === "operand" && term.aspect === "value" && !term.name.startsWith("num_cores") &&
    (Object.hasOwn(EXTENTS, term.name) || COMPUTED_EXTENT.test(term.name.replaceAll(" ", "_")));
}

/** Names of arguments that may be part of a longer name for the same argument: `dilation_hw`. */
const LONG_NAMES: ReadonlySet<string> = new Set(ARGUMENTS.filter((name) => name.length >= 6));

/** Whether a text is the name of an argument or a field, in its spelling or in words: `padding mode`. */
export function isArgumentName(text: string): boolean {
  const name = plain(text.replaceAll(" ", "_"));
  return name.length >= 6 && !/^(?:in|out)put/.test(name) && /^[a-z]+(?:[ _][a-z\d]+)+$/i.test(text) &&
    SETTABLE.has(name);
}

/** Fields of program configs. */
const PROGRAM: ReadonlySet<string> = new Set(
  FIELDS.flatMap(([slot, field]) => slot === "programConfig" ? [field] : []),
);

/** Names of values that an op computes; a user cannot set them. */
const COMPUTED =
  /num_(?:\w+_)?blocks|num_cores|num_shards|ntiles|_bytes$|^available_|^physical_|_group_\d|^(?:im|in|out)\d*_t$|^block_size$|_in_tiles$/;

/** Whether a user can set a term, judged by its name: an argument, a field of a config, a tensor. */
export function isSettable(term: Term, { words, condition }: CheckWords): boolean {
  if (term.kind !== "operand") return false;
  if (term.aspect === "page_size" || term.aspect === "buffer") return false;
  if (term.aspect !== "value" && (term.aspect !== "count" || term.name === "" || isTensorName(term))) {
    return true;
  }
  if (
    term.isArgument === true || SETTABLE.has(plain(term.name)) ||
    /^num_cores$|^(?:acc|rep|slice|scatter|gather|normalized|split)_dim$|^scale_[nchw]$|^[Bb]lock size$/.test(
      term.name,
    )
  ) {
    return true;
  }
  const parts = term.name.split("_");
  const isNamedAfter = parts.some((_, from) =>
    parts.some((_, to) => to >= from && LONG_NAMES.has(parts.slice(from, to + 1).join("").toLowerCase()))
  );
  if (isNamedAfter || COMPUTED.test(term.name) || isExtentName(term)) return isNamedAfter;
  // A name that the words spell like the source, or give a number, is mostly an argument of the call.
  const name = term.name.replaceAll(/[^\w ]/g, ".");
  const isCode = /^\w+_\w+$/.test(term.name) && !/^(?:failed|unable|could not|cannot find)\b/i.test(words);
  const spelled = isCode
    ? String.raw`(?<!\w)${name.replaceAll("_", "[ _-]?")}(?!\w)`
    : String.raw`(?:(?<!\w)${name} ?[=:]|\bgot (?:\w+ \d+ and )?${name}) ?-?\d`;
  return words !== condition && new RegExp(spelled).test(words);
}

/** Whether a name is of a tensor, or of several. */
export function isTensorName({ name }: AskedOperand): boolean {
  return /tensor|weight|bias|mask|gamma|beta|cache|residual|table|output|input|indices|stats/.test(name);
}

/** Whether a term is a field of an op's program config, which may be left to the backend. */
export function isOfProgramConfig(term: Term): boolean {
  return term.kind === "operand" && term.aspect === "value" && PROGRAM.has(plain(term.name));
}
