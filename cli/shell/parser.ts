import { CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander'
import { longshoreCommandLine } from '../../functions/runtime/command-line.ts'
import { version } from '../../functions/runtime/version.ts'
import type { Target } from '../../operator/deployment/deployment.ts'
import { isLocalByDefault, localVariable, readInstancePath } from '../../operator/deployment/local-address.ts'
import { UsageError } from '../../operator/errors.ts'
import type { Command, CommandInvocation, Options, OptionValues, ValuesOf } from './command.ts'
import { exitCodes } from './exit-codes.ts'

/** Options of every command, before or after its name. */
const globalOptions = {
  '--config <PATH>': 'Read this configuration file (default: longshore.config.ts)',
  '--name <NAME>': "Use this stack prefix instead of the configuration's name",
  '--local': 'Use the running npm start instead of a deployment',
  '--json': 'Print the result as JSON',
} as const satisfies Options

export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'run'; readonly command: Command } & Pick<
      CommandInvocation<OptionValues>,
      'entity' | 'id' | 'args' | 'values' | 'target' | 'json'
    >)

/** Finds the command and reads its options, or returns the text of help or the version. Throws `UsageError`. */
export function parse(
  commands: readonly Command[],
  line: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
): Parsed {
  const texts: string[] = []
  const runs: Parsed[] = []
  const program = createParser(commands, {
    print: (text) => texts.push(text),
    run: (command, parser) => {
      const globals = program.opts<ValuesOf<typeof globalOptions>>()
      const target = readTarget(globals, variables)
      const [entity = '', id = ''] = parser.args
      const { args } = parser
      runs.push({ kind: 'run', command, entity, id, args, values: parser.opts(), target, json: globals.json })
    },
  })
  try {
    const args = line[0] === 'help' ? [...line.slice(1), '--help'] : [...line]
    // For an unknown command with --help, commander would print the overview.
    const [name = ''] = program.parseOptions(args).operands
    const isKnown = name === '' || program.commands.some((parser) => parser.name() === name)
    program.parse(isKnown ? args : [name], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0 && line.length > 0) throw new UsageError(messageOf(error), { cause: error })
  }
  return runs[0] ?? { kind: 'text', text: texts.join('').trimEnd() }
}

interface Handlers {
  readonly print: (text: string) => void
  readonly run: (command: Command, parser: Parser) => void
}

/** The parser of the command table. Its help and docs/cli.md are generated from it too. */
export function createParser(
  commands: readonly Command[],
  { print, run }: Handlers = { print: () => {}, run: () => {} },
): Parser {
  const program = new Parser('longshore')
    .description('Operate a Longshore deployment from the command line.')
    .version(version, '--version', 'Print the version of Longshore')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .addHelpText('after', overviewText)
  addOptions(program, globalOptions)
  for (const command of commands) {
    const parser = addWords(program, command)
      .description([`${command.summary}.`, ...command.description].join('\n\n'))
      .addHelpText('after', `\nExamples:\n${examplesOf(command)}`)
    if (command.argument) parser.arguments(command.argument)
    addOptions(parser, command.options)
    parser.action(() => run(command, parser))
  }
  return program
}

/** `credentials set` is the command `set` of the command `credentials`. */
function addWords(program: Parser, { name, summary }: Command): Parser {
  return name
    .split(' ')
    .reduce(
      (parent, word) =>
        parent.commands.find((one) => one.name() === word) ?? parent.command(word).summary(summary),
      program,
    )
}

export function addOptions(parser: Parser, options: Options = {}): Parser {
  for (const [flags, row] of Object.entries(options)) {
    const { summary, choices, default: byDefault } = typeof row === 'string' ? { summary: row } : row
    const option = new Option(flags, summary).default(byDefault)
    if (choices) option.choices(choices)
    else if (option.required)
      option.argParser((text, before) => requireOne(text, before === byDefault || before === text))
    parser.addOption(option)
    if (option.isBoolean()) parser.setOptionValue(option.attributeName(), false)
  }
  return parser
}

/** `--output --force` lacks the value. No option accepts a value that begins with a dash, or two values. */
function requireOne(text: string, isOnly: boolean): string {
  if (text.startsWith('-')) throw new InvalidArgumentError('A value cannot begin with a dash.')
  if (!isOnly) throw new InvalidArgumentError('It can be given only once.')
  return text
}

function readTarget(
  { config, name, local }: ValuesOf<typeof globalOptions>,
  variables: NodeJS.ProcessEnv,
): Target {
  const named = variables[localVariable]
  if (!local && !isLocalByDefault(named)) return { kind: 'stacks', config, name }
  const other = config !== undefined ? '--config' : name !== undefined ? '--name' : undefined
  if (other) {
    const source = local ? '--local' : localVariable
    throw new UsageError(
      `${other} cannot be combined with ${source}, which uses the configuration that npm start was started with.`,
    )
  }
  return { kind: 'local', path: readInstancePath(named) }
}

/** `error: unknown command 'snyc'\n(Did you mean sync?)` as one sentence. Commander shows help for a missing command. */
function messageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Missing command.'
  const text = message.replace(/^error: /, '').replace('\n', ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** `pull <ENTITY>` or `credentials set` */
function termOf(parser: Parser): string {
  const words = parser.commands.map((one) => one.name()).join('|')
  return `${parser.name()} ${words || parser.usage().replace(/^\[options\] ?/, '')}`
}

const examplesOf = ({ examples }: Command) =>
  Object.entries(examples)
    .map(([line, purpose]) => `  # ${purpose}\n  $ ${longshoreCommandLine} ${line}`)
    .join('\n\n')

const overviewText = `
Without a deployment:
  start                     Run everything on this machine, as npm start does (start --help)

Environment:
  AWS_PROFILE       The AWS account and identity
  AWS_REGION        The AWS region (or AWS_DEFAULT_REGION)
  HTTPS_PROXY       The proxy to the internet; NO_PROXY lists hosts that are called directly
  AWS_ENDPOINT_URL  An AWS-compatible endpoint, for an emulator
  LONGSHORE_LOCAL   1 applies --local to every command; a path that npm start printed selects that one

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  .join('\n')}

Examples:
  $ ${longshoreCommandLine} doctor
  $ ${longshoreCommandLine} sync CL --watch
  $ ${longshoreCommandLine} pull CL

Use \`${longshoreCommandLine} help <command>\` for more information about a command.`
