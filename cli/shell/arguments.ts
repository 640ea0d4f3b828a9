import { parseArgs } from 'node:util'
import type { Target } from '../deployment.ts'
import type { Command, OptionRows } from './command.ts'
import { UsageError } from './errors.ts'

/** What every command understands. */
export const commonOptions = {
  config: { type: 'string', value: 'PATH', summary: 'another configuration than longshore.config.ts' },
  name: { type: 'string', value: 'NAME', summary: 'another prefix of the stacks than the configuration has' },
  json: { type: 'boolean', summary: 'print the result as one JSON document' },
  help: { type: 'boolean', short: 'h', summary: 'this text' },
} as const satisfies OptionRows

export type Parsed =
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly entity: string
      readonly values: Record<string, string | boolean | undefined>
      readonly target: Target
      readonly json: boolean
    }

/** Finds the command that the words name, and its options. Throws `UsageError`. */
export function parse(commands: readonly Command[], words: readonly string[]): Parsed {
  const command = findCommand(commands, words)
  if (!command) {
    const [first] = words
    if (first === undefined || first === 'help' || first === '--help' || first === '-h')
      return { kind: 'help', command: undefined }
    const known = commands.map(({ name }) => name).join(', ')
    throw new UsageError(`'${first}' is not a command. The commands are: ${known}.`)
  }
  const { values, positionals } = parseOptions(command, words.slice(command.name.split(' ').length))
  if (values['help']) return { kind: 'help', command }
  for (const [name, { choices }] of Object.entries(command.options)) {
    const value = values[name]
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw new UsageError(`--${name}: '${value}' is none of ${choices.join(', ')}.`)
  }
  return {
    kind: 'run',
    command,
    entity: entityIn(command, positionals),
    values: withDefaults(command.options, values),
    target: { config: text(values['config']), name: text(values['name']) },
    json: values['json'] === true,
  }
}

/** The longest name counts: `credentials set` is one command. */
function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const begins = ({ name }: Command) => name.split(' ').every((word, index) => words[index] === word)
  return commands.filter(begins).toSorted((a, b) => b.name.length - a.name.length)[0]
}

function parseOptions(command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...commonOptions }).map(([name, { type, ...row }]) => [
      name,
      { type, ...('short' in row && row.short ? { short: row.short } : {}) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as Record<string, string | boolean | undefined>, positionals }
  } catch (error) {
    // Node says which option, and then how a value could begin with a dash, which none of ours does.
    const [reason] = (error as Error).message.split('. ')
    throw new UsageError(`${reason?.replace(/\.$/, '')}.`, { cause: error })
  }
}

function entityIn({ name, takesEntity }: Command, positionals: readonly string[]): string {
  const [entity, ...more] = takesEntity ? positionals : ['', ...positionals]
  if (entity === undefined)
    throw new UsageError(`${name} needs the name of an entity: longshore ${name} ENTITY.`)
  if (more.length > 0) throw new UsageError(`${name} does not take '${more[0]}'.`)
  return entity
}

function withDefaults(rows: OptionRows, values: Record<string, string | boolean | undefined>) {
  return Object.fromEntries(
    Object.entries(rows).map(([name, { type }]) => [
      name,
      values[name] ?? (type === 'boolean' ? false : undefined),
    ]),
  )
}

const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined)
