// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from "../command.ts";
import { optionSpecs } from "../parse_command_line.ts";

/** Names that positionals of a command may be, by its name. */
export type PositionalNames = ReadonlyMap<string, readonly string[]>;

/** A completion script made from the command table. */
export type CompletionScript = (commands: readonly Command[], names?: PositionalNames) => string;

export const COMPLETION_SCRIPTS: ReadonlyMap<string, CompletionScript> = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** Words that may follow an option; `undefined` if any text may, files included. */
function valuesOf(spec: OptionSpec): readonly string[] | undefined {
  return spec.choices ?? spec.suggestions;
}

/** Whether an option takes several values with commas between them. */
function takesList({ value = "" }: OptionSpec): boolean {
  return value.includes(",");
}

/** `--name`; for switches that are on by default `--no-name` instead. */
function spellings(spec: OptionSpec): readonly string[] {
  return spec.kind === "boolean" && spec.default === true ? [`--no-${spec.name}`] : [`--${spec.name}`];
}

/** Words of a command's positionals: `show` of `[show NAME|FILE]`, and the names that they may be. */
function positionalWords({ positionals, name }: Command, names: PositionalNames): readonly string[] {
  const literal = [...positionals.matchAll(/(?<![A-Z…-])\b[a-z][a-z-]+\b/g)].map(([word]) => word);
  return [...literal, ...names.get(name) ?? []];
}

function bashScript(commands: readonly Command[], names: PositionalNames = new Map()): string {
  const cases = commands.map((command) => {
    const specs = optionSpecs(command);
    const valued = specs.flatMap((spec) => {
      const values = valuesOf(spec);
      return values === undefined
        ? []
        : [`        --${spec.name}) _tilewright_values '${values.join(" ")}'; return ;;`];
    });
    const options = specs.flatMap(spellings).join(" ");
    return [
      `    ${command.name})`,
      ...(valued.length === 0 ? [] : [`      case $before in`, ...valued, `      esac`]),
      `      options='${options}' words='${positionalWords(command, names).join(" ")}' ;;`,
    ].join("\n");
  });
  return `# bash completion of tilewright
# The last of several values with commas between them.
_tilewright_values() {
  local head='' value
  case $word in *,*) head=\${word%,*}, ;; esac
  for value in $(compgen -W "$1" -- "\${word##*,}"); do COMPREPLY+=("$head$value"); done
}
_tilewright() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options='' words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")} help version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
    help) COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")}' -- "$word")); return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _tilewright tilewright
`;
}

function zshScript(commands: readonly Command[], names: PositionalNames = new Map()): string {
  const quote = (text: string): string => text.replaceAll("'", "'\\''");
  const plain = (text: string): string => quote(text).replaceAll(/[[\]:]/g, (found) => `\\${found}`);
  const list = commands.map(({ name, summary }) => `    '${name}:${plain(summary)}'`).join("\n");
  const cases = commands.map((command) => {
    const rows = optionSpecs(command).flatMap((spec) =>
      spellings(spec).map((spelling) => {
        const description = `[${plain(spec.description)}]`;
        if (spec.kind === "boolean") return `        '${spelling}${description}'`;
        const values = valuesOf(spec);
        const action = values === undefined
          ? "_files"
          : takesList(spec)
          ? `_values -s , ${plain(spec.name)} ${values.join(" ")}`
          : `(${values.join(" ")})`;
        const repeat = spec.repeatable === true ? "*" : "";
        return `        '${repeat}${spelling}=${description}:${plain(spec.value ?? spec.name)}:${action}'`;
      })
    );
    const words = positionalWords(command, names);
    const files = words.length === 0
      ? "_files"
      : `_alternative "words:word:(${words.join(" ")})" "files:file:_files"`;
    return `    ${command.name})\n      _arguments \\\n${
      rows.join(" \\\n")
    } \\\n        '*:file:${files}' ;;`;
  });
  return `#compdef tilewright
# zsh completion of tilewright
_tilewright() {
  local -a commands=(
${list}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
compdef _tilewright tilewright
`;
}

function fishScript(commands: readonly Command[], names: PositionalNames = new Map()): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const offered = (spec: OptionSpec, values: readonly string[]): string =>
    takesList(spec) ? `(__fish_complete_list , 'printf %s\\\\n ${values.join(" ")}')` : values.join(" ");
  const lines = commands.flatMap((command) => {
    const when = `-n '__fish_seen_subcommand_from ${command.name}'`;
    const options = optionSpecs(command).flatMap((spec) =>
      spellings(spec).map((spelling) => {
        const values = valuesOf(spec);
        return [
          `complete -c tilewright ${when} -l ${spelling.slice(2)}`,
          ...(spec.short === undefined ? [] : [`-s ${spec.short}`]),
          ...(spec.kind === "boolean" ? [] : ["-r"]),
          ...(values === undefined ? [] : [`-f -a ${quote(offered(spec, values))}`]),
          `-d ${quote(spec.description)}`,
        ].join(" ");
      })
    );
    const words = positionalWords(command, names);
    return [
      ...(words.length === 0 ? [] : [`complete -c tilewright ${when} -a ${quote(words.join(" "))}`]),
      `complete -c tilewright -n __fish_use_subcommand -f -a ${command.name} -d ${quote(command.summary)}`,
      ...options,
    ];
  });
  return `# fish completion of tilewright\n${lines.join("\n")}\n`;
}
