// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";

/** `completions`: tab completion for the user's shell. */
export const completions: Command = {
  name: "completions",
  summary: "Print a completion script for bash, zsh or fish",
  positionals: "bash|zsh|fish",
  arity: [1, 1],
  options: [],
  examples: [
    { command: "completions bash", description: "For ~/.bashrc: source <(tilewright completions bash)" },
    { command: "completions zsh", description: "For ~/.zshrc: source <(tilewright completions zsh)" },
    {
      command: "completions fish",
      description: "For fish: tilewright completions fish > ~/.config/fish/completions/tilewright.fish",
    },
  ],
};
