import { parseArgs } from 'node:util'
import type { Target } from '../deployment.ts'
import type { Command, Flags, FlagValues } from './command.ts'
import { UsageError } from './errors.ts'
import { suggestion } from './suggestion.ts'

/** Flags of every command. */
export const globalFlags = {
  config: {
    type: 'string',
    value: 'PATH',
    default: 'longshore.config.ts',
    summary: 'Read this configuration file',
  },
  name: {
    type: 'string',
    value: 'NAME',
    summary: "Use this stack prefix instead of the configuration's name",
  },
  json: { type: 'boolean', summary: 'Print the result as JSON' },
  help: { type: 'boolean', short: 'h', summary: 'Show help for the command' },
} as const satisfies Flags

export const versionFlag = { type: 'boolean', summary: 'Print the version of Longshore' } as const

export type Parsed =
  | { readonly kind: 'version' }
  | { readonly kind: 'overview' }
  | { readonly kind: 'help'; readonly command: Command }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly entity: string
      readonly values: FlagValues
      readonly target: Target
      readonly json: boolean
    }

/** Finds the command and reads its flags. Throws `UsageError`. */
export function parse(commands: readonly Command[], words: readonly string[]): Parsed {
  const [first] = words
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'overview' }
  if (first === '--version') return { kind: 'version' }
  if (first === 'help') return helpFor(commands, words.slice(1))
  const command = findCommand(commands, words)
  if (!command) throw unknownCommand(commands, first)
  const { values, positionals } = readFlags(command, words.slice(command.name.split(' ').length))
  if (values['help']) return { kind: 'help', command }
  rejectUnknownChoices(command.flags, values)
  return {
    kind: 'run',
    command,
    entity: readEntity(command, positionals, values),
    values: withDefaults(command.flags, values),
    target: { config: stringOf(values['config']), name: stringOf(values['name']) },
    json: values['json'] === true,
  }
}

function helpFor(commands: readonly Command[], words: readonly string[]): Parsed {
  const [first] = words
  if (first === undefined) return { kind: 'overview' }
  const command = findCommand(commands, words)
  if (!command) throw unknownCommand(commands, first)
  return { kind: 'help', command }
}

/** The longest match wins: `credentials set` is one command. */
function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const matches = ({ name }: Command) => name.split(' ').every((word, index) => words[index] === word)
  return commands.filter(matches).toSorted((a, b) => b.name.length - a.name.length)[0]
}

function unknownCommand(commands: readonly Command[], word: string): UsageError {
  const names = commands.map(({ name }) => name).join(', ')
  const meant = suggestion(
    word,
    commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? '']),
  )
  return new UsageError(`Unknown command '${word}'.${meant} Commands: ${names}.`)
}

function readFlags(command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries<Flags[string]>({ ...command.flags, ...globalFlags }).map(([name, { type, short }]) => [
      name,
      { type, ...(short && { short }) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as FlagValues, positionals }
  } catch (error) {
    // The rest of Node's message explains values that begin with a dash. No flag here accepts such a value.
    const [reason = ''] = (error as Error).message.split('. ')
    const [, unknown = ''] = /^Unknown option '--(.+)'/.exec(reason) ?? []
    const meant = unknown ? suggestion(unknown, Object.keys(options)).replace("'", "'--") : ''
    throw new UsageError(`${reason.replace(/\.$/, '')}.${meant}`, { cause: error })
  }
}

function rejectUnknownChoices(flags: Flags, values: FlagValues): void {
  for (const [name, flag] of Object.entries(flags)) {
    const value = values[name]
    if (flag.type === 'boolean' || !flag.choices || typeof value !== 'string') continue
    if (!flag.choices.includes(value)) {
      throw new UsageError(`Invalid value '${value}' for --${name}. Use one of: ${flag.choices.join(', ')}.`)
    }
  }
}

function readEntity(command: Command, positionals: readonly string[], values: FlagValues): string {
  const { name } = command
  const takesNone = command.entity === 'none' || (command.entity === 'or-all' && values['all'] === true)
  const [entity, ...rest] = takesNone ? ['', ...positionals] : positionals
  if (entity === undefined) throw new UsageError(`Missing entity. Usage: longshore ${usageOf(command)}.`)
  if (rest.length > 0) throw new UsageError(`Unexpected argument '${rest[0]}' for ${name}.`)
  return entity
}

function withDefaults(flags: Flags, values: FlagValues): FlagValues {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      values[name] ?? (flag.type === 'boolean' ? false : flag.default),
    ]),
  )
}

const entityArguments = { none: '', required: ' ENTITY', 'or-all': ' {ENTITY | --all}' } as const

/** `sync {ENTITY | --all}` */
export function usageOf({ name, entity }: Command): string {
  return `${name}${entityArguments[entity]}`
}

const stringOf = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined)
