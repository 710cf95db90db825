// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";

/** `completions`: tab completion for the user's shell. */
export const completions: Command = {
  name: "completions",
  load: () => import("../run/completions.ts" satisfies string),
  summary: "Print a completion script for bash, zsh or fish",
  positionals: "bash|zsh|fish",
  options: [],
  examples: [
    "completions bash — For ~/.bashrc: source <(tilewright completions bash)",
    "completions zsh — For ~/.zshrc: source <(tilewright completions zsh)",
    "completions fish — For fish: tilewright completions fish > ~/.config/fish/completions/tilewright.fish",
  ],
};
