import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import { parse } from '../../../../cli/shell/parser.ts'
import { version } from '../../../../functions/runtime/version.ts'
import { defaultInstancePath } from '../../../../operator/deployment/local-address.ts'
import { UsageError } from '../../../../operator/errors.ts'

const parseLine = (line: string, variables: NodeJS.ProcessEnv = {}) =>
  parse(commands, line === '' ? [] : line.split(' '), variables)

describe('the command line', () => {
  it('accepts the entity and the options in any order', () => {
    expect(parseLine('sync --config x.json CL -w --json --name Other')).toMatchObject({
      command: { name: 'sync' },
      entity: 'CL',
      values: { watch: true, acceptShrink: false },
      target: { kind: 'stacks', config: 'x.json', name: 'Other' },
      json: true,
    })
  })

  it('accepts global options before the command', () => {
    expect(parseLine('--config x.json --json sync CL')).toMatchObject({
      command: { name: 'sync' },
      entity: 'CL',
      target: { kind: 'stacks', config: 'x.json' },
      json: true,
    })
  })

  it.each([
    ['--local status', {}, defaultInstancePath],
    ['status --local', { LONGSHORE_LOCAL: '0' }, defaultInstancePath],
    ['status', { LONGSHORE_LOCAL: '1' }, defaultInstancePath],
    ['status', { LONGSHORE_LOCAL: '/tmp/local.json' }, '/tmp/local.json'],
    ['status', { LONGSHORE_LOCAL: 'started.json' }, join(process.cwd(), 'started.json')],
  ])('%j with %j operates on npm start', (line, variables, path) => {
    expect(parseLine(line, variables)).toMatchObject({ target: { kind: 'local', path } })
  })

  it('operates on the stacks if LONGSHORE_LOCAL is not set, empty, 0 or false', () => {
    for (const variables of [{}, ...['', '0', 'false'].map((LONGSHORE_LOCAL) => ({ LONGSHORE_LOCAL }))])
      expect(parseLine('status', variables)).toMatchObject({ target: { kind: 'stacks' } })
  })

  it.each([
    ['status --local --config x.json', {}, '--config cannot be combined with --local'],
    ['status --name Other', { LONGSHORE_LOCAL: '1' }, '--name cannot be combined with LONGSHORE_LOCAL'],
  ])('refuses %j with %j', (line, variables, message) => {
    expect(() => parseLine(line, variables)).toThrow(message)
  })

  it('reads a command of two words', () => {
    expect(parseLine('credentials set --area documents')).toMatchObject({
      command: { name: 'credentials set' },
      values: { area: 'documents', skipCheck: false },
    })
  })

  it('fills in the default of an option that is not given', () =>
    expect(parseLine('pull CL')).toMatchObject({ values: { format: 'ndjson' } }))

  it.each([
    ['sink', "Unknown command 'sink' (Did you mean sync?)"],
    ['help sink', "Unknown command 'sink' (Did you mean sync?)"],
    ['sink --help', "Unknown command 'sink' (Did you mean sync?)"],
    ['frobnicate', "Unknown command 'frobnicate'"],
    ['snyc CL', "Unknown command 'snyc' (Did you mean sync?)"],
    ['help stauts', "Unknown command 'stauts' (Did you mean status?)"],
    ['credential set', "Unknown command 'credential' (Did you mean credentials?)"],
    ['credentials', 'Missing command.'],
    ['credentials sett', "Unknown command 'sett' (Did you mean set?)"],
    ['--json', 'Missing command.'],
    ['logs', "Missing required argument 'RUN|ENTITY'"],
    ['pull CL AD', "Too many arguments for 'pull'. Expected 1 argument but got 2."],
    ['status CL', "Too many arguments for 'status'. Expected 0 arguments but got 1."],
    ['sync CL --wait-for-it', "Unknown option '--wait-for-it'"],
    ['sync CL --wach', "Unknown option '--wach' (Did you mean --watch?)"],
    ['pull CL --output', "Option '-o, --output <FILE|DIR>' argument missing"],
    [
      'pull CL --output --force',
      "Option '-o, --output <FILE|DIR>' argument '--force' is invalid. A value cannot begin with a dash.",
    ],
    [
      'erase CL --where a=1 --dry-run --where b=2',
      "Option '--where <FIELD=VALUE>' argument 'b=2' is invalid. It can be given only once.",
    ],
    [
      'pull CL --format xml',
      "Option '--format <FORMAT>' argument 'xml' is invalid. Allowed choices are ndjson, csv, spreadsheet.",
    ],
  ])("rejects '%s' and states why: %s", (line, message) => {
    expect(() => parseLine(line)).toThrow(new UsageError(message))
  })

  it.each([
    ['console', true],
    ['console --no-open', false],
  ])("reads an option that begins with no: '%s'", (line, expected) => {
    expect(parseLine(line)).toMatchObject({ values: { open: expected, port: '0' } })
  })

  it('accepts --all in place of an entity', () =>
    expect(parseLine('sync --all')).toMatchObject({ entity: '', values: { all: true } }))

  it('prints the version for --version', () =>
    expect(parseLine('--version')).toEqual({ kind: 'text', text: version }))

  it.each(['', 'help', '--help', '-h'])("shows the overview for '%s'", (line) => {
    expect(parseLine(line)).toEqual({
      kind: 'text',
      text: expect.stringMatching(/^Usage: longshore \[options\]/),
    })
  })

  it.each(['pull --help', 'pull -h', 'help pull', 'pull CL --json --help'])(
    "shows the help of a command for '%s'",
    (line) => {
      expect(parseLine(line)).toEqual({
        kind: 'text',
        text: expect.stringMatching(/^Usage: longshore pull /),
      })
    },
  )

  it('shows the help of a command of two words', () => {
    expect(parseLine('help credentials set')).toMatchObject({
      text: expect.stringMatching(/^Usage: longshore credentials set /),
    })
  })
})
