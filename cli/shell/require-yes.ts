import { longshoreCommand } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { shellWord } from '../../operator/text/shell-word.ts'
import type { CommandInvocation, OptionValues } from './command.ts'

/** Throws `CommandError` with the same command and `--yes` if a command has to ask and nobody can respond. */
export function requireYes(
  { values, args, terminal, target }: CommandInvocation<OptionValues>,
  name: string,
): void {
  if (values['yes'] || terminal.isInteractive) return
  const flags = Object.entries(values)
    .filter(([, value]) => value === true)
    .map(([option]) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  throw new CommandError(`Without a terminal, ${name} needs --yes.`, {
    fix: longshoreCommand(target, [name, ...args.map(shellWord), ...flags, '--yes'].join(' ')),
  })
}
