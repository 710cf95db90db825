// SPDX-License-Identifier: Apache-2.0

/** A parameter of a function that Python's bindings (nanobind, pybind11) offer. */
interface CallParameter {
  readonly name: string;
  /** `undefined` if unknown. */
  readonly type: string | undefined;
  readonly isOptional: boolean;
  /** Whether it is passed by name only. */
  readonly isNamed: boolean;
}

/** One of the ways in which a function is called. */
interface CallSignature {
  readonly parameters: readonly CallParameter[];
  /** Whether the text ends within it: then there may be more parameters. */
  readonly isCut: boolean;
}

/** An argument of the refused call. */
interface PassedArgument {
  /** `undefined` for a positional argument. */
  readonly name: string | undefined;
  /** `undefined` if the text does not show it. */
  readonly type: string | undefined;
}

/** Why a call is not of a signature, and what to pass instead. */
interface CallFault {
  readonly why: string;
  readonly remedy: string;
  /** How far it is from what the signature takes: 1 where it is the same thing in another form or by another name, else 2. */
  readonly distance: 1 | 2;
}

/** A call whose arguments none of a function's signatures takes. */
export interface RefusedCall {
  /** `ttnn.add`, or the function's own name. */
  readonly name: string;
  /** The message in one form, with the nearest signature only. */
  readonly words: string;
  /** Faults of the call by the nearest signature, wrong types first. */
  readonly faults: readonly CallFault[];
}

/** The message of Python's bindings for a call that fits no signature of a function, with the signatures and arguments. */
export const REFUSED_CALL: RegExp =
  /(?:\bTypeError: )?[\w.]+\(\): incompatible function arguments\.[^\u241E]{0,20000}?(?= Did you forget| Traceback | FAILED | (?:E )?\w+Error: | \S+\.py:\d+: | TT_(?:FATAL|THROW)\b|\u241E|$)/g;

const REFUSED = /(?:(ttnn(?:\.\w+)+)|\b(\w+))\(\): incompatible function arguments\./;

/** The arguments in the frame of ttnn's decorator, as pytest prints it. */
const FRAME = /function_args = (\(.*?\)), function_kwargs = \{(.*?)\}(?= \w|$)/;

/** The end of the printed arguments. */
const PASSED_END =
  / (?:Did you forget|Traceback |FAILED |\S+\.py:\d+: |\*\*|\x60{3}|={3,}|-{3,})|\u241E|(?:\x60{3}| |[.)])$/;

/**
 * Reads the error of Python's bindings that no signature fits a call, in the forms of pybind11 (values), nanobind (types)
 * and ttnn itself (`Called with: …`). The text's white space is single blanks.
 *
 * @returns `undefined` if the text has none, or no signature of it
 */
export function refusedCallIn(text: string): RefusedCall | undefined {
  const refused = REFUSED.exec(text);
  if (refused === null) return undefined;
  const behind = text.slice(refused.index + refused[0].length);
  const passedAt = /(?:Invoked with(?: types)?|Called with): ?/.exec(behind);
  const self = /(?:\bself: |Invoked with(?: types)?: <?)(?:\w+\.)+(\w+)_t\b/.exec(behind)?.[1];
  const plain = refused[1] ??
    /python_fully_qualified_name='(ttnn[\w.]+)'/.exec(text.slice(0, refused.index))?.[1] ??
    (self === undefined ? undefined : `ttnn.${self}`);
  const name = plain ?? refused[2] ?? "the function";
  const last = name.replace(/^.*\./, "");
  const listed = /(?:argument types are supported|Available signatures):/.exec(behind);
  if (listed === null) return undefined;
  const from = listed.index + listed[0].length;
  const until = passedAt !== null && passedAt.index > from ? passedAt.index : behind.length;
  const signatures = signaturesIn(behind.slice(from, until), last);
  const passed = passedAt === null
    ? passedInFrame(text.slice(0, refused.index))
    : passedIn(behind.slice(passedAt.index + passedAt[0].length), last);
  const [nearest] = signatures.map((signature) => ({ signature, faults: faultsOf(signature, passed, name) }))
    .toSorted((a, b) => distanceOf(a.faults) - distanceOf(b.faults));
  if (nearest === undefined) return undefined;
  const isAlone = signatures.length === 1;
  return {
    name,
    words: `${name}(): incompatible function arguments. Called with: ${last}(${
      passed?.map(passedInWords).join(", ") ?? "…"
    }). Available signatures: ${inWords(nearest.signature, passed ?? [], last)}${
      isAlone ? "" : `, the nearest of ${signatures.length}`
    }`,
    faults: nearest.faults,
  };
}

function distanceOf(faults: readonly CallFault[]): number {
  return faults.reduce((sum, { distance }) => sum + distance, 0);
}

/** Splits at commas outside of brackets; `rest` is the text after the bracket that closes the list, if one does. */
function listed(text: string): readonly [parts: readonly string[], rest: string | undefined] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if ("([{<".includes(sign)) depth++;
    else if (")]}>".includes(sign) && text.charAt(at - 1) !== "-") {
      if (depth === 0) {
        return [[...parts, text.slice(start, at)].map(trim).filter(Boolean), text.slice(at + 1)];
      }
      depth--;
    } else if (sign === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [[...parts, text.slice(start)].map(trim).filter(Boolean), undefined];
}

function trim(text: string): string {
  return text.trim();
}

/** Stands for parameters that a text leaves out. */
const CUT = "…";

function signaturesIn(text: string, last: string): readonly CallSignature[] {
  const head = new RegExp(`(?:\\d+\\. (?:[\\w.]+)?|(?<![\\w.])${last})\\(`);
  const begin = head.exec(text);
  if (begin === null) return [];
  const [parts, rest] = listed(text.slice(begin.index + begin[0].length));
  const star = parts.findIndex((part) => /^\\?\*$/.test(part));
  // A cut text may end within a type.
  const isCut = rest === undefined || parts.at(-1) === CUT;
  const parameters = parts.flatMap((part, index): readonly CallParameter[] => {
    const [, name, whole, value] = /^(\w+)(?:: ([^=]+?))?(?: ?= ?(.*))?$/.exec(part) ?? [];
    const type = rest === undefined && index === parts.length - 1 ? undefined : whole;
    return name === undefined || name === "self" ? [] : [{
      name,
      type: type === undefined ? undefined : shortened(type),
      isOptional: value !== undefined,
      isNamed: star >= 0 && index > star,
    }];
  });
  return [{ parameters, isCut }, ...(rest === undefined ? [] : signaturesIn(rest, last))];
}

function passedIn(text: string, last: string): readonly PassedArgument[] {
  const called = text.startsWith(`${last}(`) ? listed(text.slice(last.length + 1))[0] : undefined;
  if (called !== undefined) return called.map(passedOf);
  const end = PASSED_END.exec(text)?.index ?? text.length;
  const [, places = "", names = ""] = /^(.*?)(?:[;,]? ?kwargs ?[:=] ?\{? ?(.*?)\}?)?$/.exec(
    text.slice(0, end).trim(),
  ) ?? [];
  const placed = listed(places)[0].map((part) => ({ name: undefined, type: typeOf(part) }));
  // The first is the object of the op that is called.
  const own = /^\w+_t$/.test(placed[0]?.type ?? "") ? placed.slice(1) : placed;
  return [...own, ...listed(names)[0].map(passedOf)];
}

/** @returns `undefined` if the text has no frame */
function passedInFrame(text: string): readonly PassedArgument[] | undefined {
  const [, places, names] = FRAME.exec(text) ?? [];
  if (places === undefined || names === undefined) return undefined;
  return [
    ...listed(places.slice(1))[0].map((part) => ({ name: undefined, type: typeOf(part) })),
    ...listed(names)[0].map((part) => passedOf(part.replace(/^'(\w+)'/, "$1"))),
  ];
}

function passedOf(part: string): PassedArgument {
  const [, name, value] = /^(\w+) ?[=:](?!:) ?(.*)$/.exec(part) ?? [];
  return name === undefined || value === undefined
    ? { name: undefined, type: typeOf(part) }
    : { name, type: typeOf(value) };
}

/** Types by how Python prints their values. */
const PRINTED: readonly (readonly [value: RegExp, type: string])[] = [
  [/^-?\d+$/, "int"],
  [/^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$|^-?inf$|^nan$/, "float"],
  [/^(?:True|False)$/, "bool"],
  [/^None(?:Type)?$/, "None"],
  [/^['"]/, "str"],
  [/^\[/, "list"],
  [/^\(/, "tuple"],
  [/^\{/, "dict"],
  [/^(?:Parameter containing: )?tensor\(/, "torch.Tensor"],
  [/^array\(/, "numpy.ndarray"],
];

/** The type of a value, or of what is a type already. */
function typeOf(value: string): string | undefined {
  const printed = PRINTED.find(([of]) => of.test(value))?.[1];
  if (printed !== undefined) return printed;
  const named = /^<(\w+)\.\w+: -?\d+>/.exec(value)?.[1] ?? /^<([\w.:]+) object/.exec(value)?.[1] ??
    /^([A-Za-z_][\w.:]*)(?:\(|$|\[)/.exec(value)?.[1];
  return named === undefined ? undefined : shortened(named);
}

/** Types without their modules: `ttnn._ttnn.deprecated.tensor.Tensor` is `ttnn.Tensor`. */
function shortened(type: string): string {
  return type.replace(
    /(?:\w+(?:\.|::))+(\w+)/g,
    (whole, last: string) =>
      /^(?:torch|numpy)\b/.test(whole) ? whole : last === "Tensor" ? "ttnn.Tensor" : last,
  ).replace(/(?<![.\w])Tensor\b/g, "ttnn.Tensor");
}

/** Names of types that take what Python converts to them. */
const CONVERTED: Readonly<Record<string, RegExp>> = {
  None: /^(?:None|Optional|NoneType)$/,
  int: /^(?:int|float|complex|SupportsInt|SupportsFloat|SupportsIndex)$/,
  bool: /^(?:bool|int|float)$/,
  float: /^(?:float|SupportsFloat|complex)$/,
  list: /^(?:[Ll]ist|[Tt]uple|Sequence|Iterable|Annotated|\w*Shape\w*|SmallVector|[Aa]rray|[Ss]pan|vector)$/,
  tuple: /^(?:[Ll]ist|[Tt]uple|Sequence|Iterable|Annotated|\w*Shape\w*|SmallVector|[Aa]rray|[Ss]pan|vector)$/,
};

function takes(wanted: string | undefined, given: string | undefined): boolean {
  if (wanted === undefined || given === undefined) return true;
  // The element type of a list is not the type of the list.
  const names =
    wanted.replaceAll(/\b(Sequence|[Ll]ist|[Tt]uple)\[[^\]]*\]/g, "$1").match(/[A-Za-z_][\w.]*/g) ?? [];
  const converted = CONVERTED[given];
  if (converted !== undefined) return names.some((name) => converted.test(name));
  // Configs and devices have names of more than one version and family.
  return names.some((name) =>
    /object|Any|Callable/.test(name) || name === given ||
    !/Tensor/.test(given) && (name.endsWith(given) || given.endsWith(name))
  );
}

/** Faults of a call by one signature. */
function faultsOf(
  { parameters, isCut }: CallSignature,
  passed: readonly PassedArgument[] | undefined,
  name: string,
): readonly CallFault[] {
  if (passed === undefined) return [];
  const places = parameters.filter(({ isNamed }) => !isNamed);
  const filled = new Set<string>();
  const pairs: { readonly parameter: CallParameter; readonly type: string | undefined }[] = [];
  const beyond: PassedArgument[] = [];
  for (const [index, argument] of passed.entries()) {
    const parameter = argument.name === undefined
      ? places[index]
      : parameters.find((one) => one.name === argument.name);
    if (parameter === undefined || filled.has(parameter.name)) beyond.push(argument);
    else {
      filled.add(parameter.name);
      pairs.push({ parameter, type: argument.type });
    }
  }
  const wrong = pairs.filter(({ parameter, type }) => !takes(parameter.type, type)).map((
    { parameter, type },
  ) => wrongType(parameter, type ?? "", name));
  // An argument without a parameter may be meant for a parameter that is not filled.
  const meant = beyond.flatMap((argument): readonly CallFault[] => {
    const parameter = meantBy(argument, parameters.filter((one) => !filled.has(one.name)));
    if (parameter === undefined && isCut) return [];
    if (parameter !== undefined) filled.add(parameter.name);
    return [beyondOf(argument, parameter, name)];
  });
  const missing = parameters.filter((one) => !one.isOptional && !filled.has(one.name)).map((
    one,
  ): CallFault => ({
    why: `${one.name} is missing`,
    remedy: `pass ${one.name}${one.type === undefined ? "" : ` (${one.type})`}, which has no default`,
    distance: 2,
  }));
  return [...wrong, ...meant, ...missing];
}

/** Letters of a name by which two are taken for one: `eps` and `epsilon`. */
const COMMON = 3;

function meantBy(argument: PassedArgument, left: readonly CallParameter[]): CallParameter | undefined {
  const fitting = left.filter(({ type }) => type !== undefined && takes(type, argument.type));
  const begins = argument.name?.slice(0, COMMON);
  // An optional parameter is meant only if it is the only one of exactly this type.
  const same = fitting.filter(({ type }) => type?.split(/\W+/).includes(argument.type ?? "") === true);
  return left.find((one) => begins !== undefined && one.name.startsWith(begins)) ??
    fitting.find(({ isOptional }) => !isOptional) ?? (same.length === 1 ? same[0] : undefined);
}

function beyondOf(argument: PassedArgument, meant: CallParameter | undefined, name: string): CallFault {
  if (argument.name === undefined) {
    const type = argument.type ?? "argument";
    return {
      why: `${name} takes no ${type} in that place`,
      distance: meant === undefined ? 2 : 1,
      remedy: meant === undefined
        ? `leave the ${type} out, or pass it by the name that the signature has for it`
        : `the ${type} by name: ${meant.name}=…`,
    };
  }
  return {
    why: `${name} has no argument ${argument.name}`,
    distance: meant === undefined ? 2 : 1,
    remedy: meant === undefined
      ? `leave ${argument.name} out: this version of ${name} does not have it`
      : `${meant.name} in place of ${argument.name}${
        meant.isNamed || meant.isOptional ? "" : " (or in its place, without a name)"
      }`,
  };
}

function wrongType({ name, type = "" }: CallParameter, given: string, op: string): CallFault {
  return {
    why: `${name} is ${given === "None" ? given : `of type ${given}`}, and ${op} takes ${type}`,
    remedy: insteadOf(name, type, given),
    distance: isTensor(type) === isTensor(given) ? 1 : 2,
  };
}

/** Whether a type is a tensor of ttnn, torch or numpy, or may be. */
function isTensor(type: string): boolean {
  return /Tensor|^numpy/.test(type);
}

/** Remedy for an argument of a wrong type. */
function insteadOf(name: string, wanted: string, given: string): string {
  const isList = /Sequence|[Ll]ist|[Tt]uple|Shape|SmallVector/.test(wanted);
  if (given === "None") {
    return `a value for ${name}: it must not be None (an op before it returned none, or an optional tensor was left out)`;
  }
  if (/\bttnn\.Tensor\b/.test(wanted)) {
    if (/^(?:torch|numpy)\b/.test(given)) {
      const tensor = given.startsWith("numpy") ? `torch.from_numpy(${name})` : name;
      return `${name} as a ttnn.Tensor: ttnn.from_torch(${tensor}, dtype=…, layout=ttnn.TILE_LAYOUT, device=device)`;
    }
    if (!isList && /^(?:int|float|bool)$/.test(given)) {
      return `a ttnn.Tensor for ${name} in place of the number: ttnn.full(shape, value, …), or an op that takes a number there`;
    }
    if (isList !== /^(?:list|tuple)$/.test(given)) {
      return isList
        ? `a list of ttnn.Tensor for ${name}: [${name}]`
        : `one ttnn.Tensor for ${name}, not a ${given} of them`;
    }
  }
  if (isList && /^(?:int|float)$/.test(given)) {
    return `a list for ${name}${given === "int" ? `: [${name}]` : ", of ints"}`;
  }
  const [scalar] = /\b(?:int|float|bool|str)\b/.exec(wanted) ?? [];
  if (!isList && scalar !== undefined && /^(?:int|float|bool|str|numpy|torch)/.test(given)) {
    return `${scalar}(${name}) for ${name}`;
  }
  return `${name} as ${wanted}`;
}

function passedInWords({ name, type = "…" }: PassedArgument): string {
  return name === undefined ? type : `${name}: ${type}`;
}

/** A signature with the types of what is required or was passed. */
function inWords(
  { parameters, isCut }: CallSignature,
  passed: readonly PassedArgument[],
  last: string,
): string {
  const star = parameters.findIndex(({ isNamed }) => isNamed);
  const parts = parameters.map(({ name, type, isOptional }, index) => {
    const isTold = type !== undefined &&
      (!isOptional || index < passed.length || passed.some((one) => one.name === name));
    return `${name}${isTold ? `: ${type}` : ""}${isOptional ? " = …" : ""}`;
  });
  const all = star < 0 ? parts : [...parts.slice(0, star), "*", ...parts.slice(star)];
  return `${last}(${all.join(", ")}${isCut ? `, ${CUT}` : ""})`;
}
