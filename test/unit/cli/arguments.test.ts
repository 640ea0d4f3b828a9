import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../cli/commands/index.ts'
import { parse } from '../../../cli/shell/arguments.ts'
import { defaultInstancePath } from '../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../operator/errors.ts'

const parseLine = (line: string, variables: NodeJS.ProcessEnv = {}) =>
  parse(commands, line === '' ? [] : line.split(' '), variables)

describe('the command line', () => {
  it('accepts the entity and the flags in any order', () => {
    expect(parseLine('sync --config x.json CL -w --json --name Other')).toMatchObject({
      command: { name: 'sync' },
      entity: 'CL',
      values: { watch: true, 'accept-shrink': false },
      target: { kind: 'stacks', config: 'x.json', name: 'Other' },
      json: true,
    })
  })

  it('accepts global flags before the command', () => {
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
    for (const variables of [{}, ...['', '0', 'false'].map((LONGSHORE_LOCAL) => ({ LONGSHORE_LOCAL }))]) {
      expect(parseLine('status', variables)).toMatchObject({ target: { kind: 'stacks' } })
    }
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
      values: { area: 'documents', 'skip-check': false },
    })
  })

  it('fills in the default of a flag that is not given', () => {
    expect(parseLine('pull CL')).toMatchObject({ values: { format: 'ndjson', output: undefined } })
  })

  it.each([
    ['sink', "Unknown command 'sink'"],
    ['help sink', "Unknown command 'sink'"],
    ['sync', 'Missing entity'],
    ['logs', 'Missing run or entity'],
    ['sync CL AD', "Unexpected argument 'AD'"],
    ['status CL', "Unexpected argument 'CL'"],
    ['sync CL --wait', "Unknown option '--wait'"],
    ['sync CL --wach', "Did you mean '--watch'?"],
    ['snyc CL', "Did you mean 'sync'?"],
    ['credential set', "Did you mean 'credentials'?"],
    ['help stauts', "Did you mean 'status'?"],
    ['sync CL --all', "Unexpected argument 'CL'"],
    ['pull CL --output', 'argument missing'],
    ['pull CL --format xml', 'Use one of: ndjson, csv'],
  ])("rejects '%s' with exit code 2 and the reason", (line, message) => {
    let failure: ReturnType<typeof failureOf> | undefined
    try {
      parseLine(line)
    } catch (error) {
      failure = failureOf(error)
    }
    expect(failure).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) })
  })

  it('does not suggest a command that is not similar', () => {
    expect(() => parseLine('frobnicate')).toThrow(/^Unknown command 'frobnicate'\. Commands: /)
  })

  it('accepts --all in place of an entity', () => {
    expect(parseLine('sync --all')).toMatchObject({ entity: '', values: { all: true } })
  })

  it('prints the version for --version', () => {
    expect(parseLine('--version')).toEqual({ kind: 'version' })
  })

  it.each(['', 'help', '--help', '-h'])("shows the overview for '%s'", (line) => {
    expect(parseLine(line)).toEqual({ kind: 'overview' })
  })

  it.each(['pull --help', 'pull -h', 'help pull'])("shows the help of a command for '%s'", (line) => {
    expect(parseLine(line)).toMatchObject({ kind: 'help', command: { name: 'pull' } })
  })
})
