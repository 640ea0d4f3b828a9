import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../cli/commands/index.ts'
import { parse } from '../../../cli/shell/arguments.ts'
import { failureOf } from '../../../cli/shell/errors.ts'
import { help, overview, reference } from '../../../cli/shell/help.ts'

const read = (line: string) => parse(commands, line.split(' '))

describe('the command line', () => {
  it('finds the command, its entity and its options wherever they stand', () => {
    expect(read('sync --config x.json CL -w --json --name Other')).toMatchObject({
      command: { name: 'sync' },
      entity: 'CL',
      values: { watch: true, 'accept-shrink': false },
      target: { config: 'x.json', name: 'Other' },
      json: true,
    })
    expect(read('credentials set --area documents')).toMatchObject({
      command: { name: 'credentials set' },
      values: { area: 'documents', untried: false },
    })
  })

  it.each([
    ['sink', "'sink' is not a command"],
    ['sync', 'needs the name of an entity'],
    ['sync CL AD', "does not take 'AD'"],
    ['status CL', "does not take 'CL'"],
    ['sync CL --wait', "Unknown option '--wait'"],
    ['pull CL --output', 'argument missing'],
    ['pull CL --format xml', "'xml' is none of ndjson, csv"],
  ])('%s is a mistake of usage', (line, message) => {
    let failure: ReturnType<typeof failureOf> | undefined
    try {
      read(line)
    } catch (error) {
      failure = failureOf(error)
    }
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it.each(['', 'help', '--help', '-h'])("'%s' is a question for help", (line) => {
    expect(parse(commands, line ? [line] : [])).toEqual({ kind: 'help', command: undefined })
  })
})

describe('help', () => {
  it('names every command, and for each every option', () => {
    for (const command of commands) {
      expect(overview(commands)).toContain(command.name)
      for (const option of Object.keys(command.options)) expect(help(command)).toContain(`--${option}`)
      expect(read(`${command.name} --help`)).toMatchObject({ kind: 'help', command: { name: command.name } })
    }
  })

  it('docs/cli.md is made from the table (npm run cli-reference)', () => {
    const file = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    expect(file).toBe(reference(commands))
  })
})
