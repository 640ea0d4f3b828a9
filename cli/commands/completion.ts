import { longshoreCommandLine } from '../../functions/runtime/command-line.ts'
import { type Command, defineCommand } from '../shell/command.ts'
import { completionScript, shells } from '../shell/completion.ts'

/** Where the script goes, what loads it there, and the function that completes although npx starts the command. */
const setUp = {
  bash: {
    file: '~/.local/share/bash-completion/completions/longshore',
    loading: 'bash loads the file in the example automatically.',
    alias: `longshore() { ${longshoreCommandLine} "$@"; }`,
  },
  zsh: {
    file: '~/.longshore.zsh',
    loading: 'Add this to ~/.zshrc after compinit: source ~/.longshore.zsh',
    alias: `longshore() { ${longshoreCommandLine} "$@"; }`,
  },
  fish: {
    file: '~/.config/fish/completions/longshore.fish',
    loading: 'fish loads the file in the example automatically.',
    alias: `function longshore; ${longshoreCommandLine} $argv; end`,
  },
} as const

/** A command for each shell. `commands` returns the whole table, which contains these commands. */
export function completionCommands(commands: () => readonly Command[]): Command[] {
  return shells.map((shell) =>
    defineCommand({
      name: `completion ${shell}`,
      summary: 'Print a script that completes commands, options and their values',
      description: [
        setUp[shell].loading,
        `The script completes the command longshore. If you start it with npx, define a function with that name: ${setUp[shell].alias}`,
      ],
      examples: { [`completion ${shell} > ${setUp[shell].file}`]: `Set up ${shell}` },
      async run() {
        const script = completionScript(shell, commands())
        return { ok: true, text: script, data: { shell, script }, form: 'unwrapped' }
      },
    }),
  )
}
