import { type Command, defineCommand } from '../shell/command.ts'
import { completionScript, shells } from '../shell/completion.ts'

/** Where each shell finds the script. */
const files = {
  bash: '~/.local/share/bash-completion/completions/longshore',
  zsh: '~/.longshore.zsh',
  fish: '~/.config/fish/completions/longshore.fish',
} as const

/** A command for each shell. `commands` returns the whole table, which contains these commands. */
export function completionCommands(commands: () => readonly Command[]): Command[] {
  return shells.map((shell) =>
    defineCommand({
      name: `completion ${shell}`,
      summary: 'Print a script that completes commands, options and their values',
      description: [
        'Shells complete the command longshore. If you start it with npx, define a function of this name: ' +
          'longshore() { npx --no-install longshore "$@"; } in bash and zsh, function longshore; npx --no-install longshore $argv; end in fish.',
        'bash and fish load the file in the example by themselves. In zsh, add this to ~/.zshrc after compinit: ' +
          'source ~/.longshore.zsh',
      ],
      examples: { [`completion ${shell} > ${files[shell]}`]: `Set up ${shell}` },
      async run() {
        const script = completionScript(shell, commands())
        return { ok: true, text: script, data: { shell, script } }
      },
    }),
  )
}
