import { parseArgs } from 'node:util'
import type { Target } from '../../operator/deployment/deployment.ts'
import { isLocalByDefault, localVariable, readInstancePath } from '../../operator/deployment/local-address.ts'
import { UsageError } from '../../operator/errors.ts'
import { suggestion } from '../../operator/text/suggestion.ts'
import type { Command, Flags, FlagValues } from './command.ts'

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
  local: { type: 'boolean', summary: 'Use the running npm start instead of a deployment' },
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

/** Finds the command and reads its flags. Global flags may precede the command. Throws `UsageError`. */
export function parse(
  commands: readonly Command[],
  line: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
): Parsed {
  const { flags, words } = splitLeadingFlags(line)
  if (flags.includes('--version')) return { kind: 'version' }
  const [first = flags.find(isUnknown)] = words
  if (first === undefined) return { kind: 'overview' }
  if (first === 'help') return helpFor(commands, words.slice(1))
  const command = findCommand(commands, words)
  if (!command) throw unknownCommand(commands, first)
  const args = [...flags, ...words.slice(command.name.split(' ').length)]
  const { values, positionals } = readFlags(command, args)
  if (values['help']) return { kind: 'help', command }
  rejectUnknownChoices(command.flags, values)
  return {
    kind: 'run',
    command,
    entity: readEntity(command, positionals, values),
    values: withDefaults(command.flags, values),
    target: readTarget(values, variables),
    json: values['json'] === true,
  }
}

function splitLeadingFlags(line: readonly string[]) {
  let at = 0
  while (line[at]?.startsWith('-')) at += ['--config', '--name'].includes(line[at] ?? '') ? 2 : 1
  return { flags: line.slice(0, at), words: line.slice(at) }
}

function isUnknown(flag: string): boolean {
  const [name = ''] = flag.replace(/^--/, '').split('=')
  return flag !== '-h' && !Object.hasOwn(globalFlags, name)
}

function readTarget(values: FlagValues, variables: NodeJS.ProcessEnv): Target {
  const config = stringOf(values['config'])
  const name = stringOf(values['name'])
  const named = variables[localVariable]
  const isLocal = values['local'] === true || isLocalByDefault(named)
  if (!isLocal) return { kind: 'stacks', config, name }
  const other = config !== undefined ? '--config' : name !== undefined ? '--name' : undefined
  if (other) {
    const source = values['local'] === true ? '--local' : localVariable
    throw new UsageError(
      `${other} cannot be combined with ${source}, which uses what npm start was started with.`,
    )
  }
  return { kind: 'local', path: readInstancePath(named) }
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
  if (entity === undefined) {
    const missing = command.entity === 'or-run' ? 'run or entity' : 'entity'
    throw new UsageError(`Missing ${missing}. Usage: longshore ${usageOf(command)}.`)
  }
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

const entityArguments = {
  none: '',
  required: ' ENTITY',
  'or-all': ' {ENTITY | --all}',
  'or-run': ' {RUN | ENTITY}',
} as const

/** `sync {ENTITY | --all}` */
export function usageOf({ name, entity }: Command): string {
  return `${name}${entityArguments[entity]}`
}

const stringOf = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined)
