import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../cli/commands/index.ts'
import { parse } from '../../../cli/shell/arguments.ts'
import { help, overview, reference } from '../../../cli/shell/help.ts'

const helpOf = (name: string) => help(commands.find((command) => command.name === name) ?? expect.fail(name))

describe('help', () => {
  it('lists every command in the overview, with its summary', () => {
    for (const { name, summary } of commands) {
      expect(overview(commands)).toContain(name)
      expect(overview(commands)).toContain(summary)
    }
  })

  it('shows summary, usage, flags with value names and defaults, and examples', () => {
    const text = helpOf('pull')
    expect(text).toMatch(/^Download an entity's snapshot and verify every page\.\n/)
    expect(text).toContain('\nUSAGE\n  longshore pull ENTITY [flags]\n')
    expect(text).toMatch(/\nFLAGS\n {2}-o, --output FILE\|DIR {3}Write to this file or directory/)
    expect(text).toMatch(/\n {6}--format FORMAT +File format: ndjson, csv \(default ndjson\)\n/)
    expect(text).toContain(
      '\nEXAMPLES\n  # Download the snapshot of CL to CL.ndjson\n  $ npx longshore pull CL\n',
    )
  })

  it('lists the exit codes in one column', () => {
    expect(overview(commands)).toContain(
      [
        'EXIT CODES',
        '    0   The command succeeded and found no problem',
        '    1   The command failed or found a problem',
        '    2   The command line or the configuration is invalid; nothing was done',
        '  130   The command was interrupted by Ctrl-C, SIGTERM or SIGHUP',
      ].join('\n'),
    )
  })

  it('lists every flag of every command', () => {
    for (const { name, flags } of commands) {
      for (const flag of Object.keys(flags)) expect(helpOf(name)).toContain(`--${flag}`)
    }
  })

  it('leaves out FLAGS for a command without flags of its own', () => {
    expect(helpOf('status')).not.toContain('\nFLAGS')
    expect(helpOf('status')).toContain('\nGLOBAL FLAGS')
  })

  it('has examples for every command, each of which the parser accepts', () => {
    for (const { name, examples } of commands) {
      expect(examples).not.toEqual([])
      for (const { command } of examples) {
        const [words = ''] = command.split(' < ')
        expect(parse(commands, words.split(' '))).toMatchObject({ kind: 'run', command: { name } })
      }
    }
  })

  it('keeps its lines within 120 columns', () => {
    const texts = [overview(commands), ...commands.map(help)]
    expect(texts.flatMap((text) => text.split('\n')).filter(({ length }) => length > 120)).toEqual([])
  })

  it('matches docs/cli.md, which npm run cli-reference generates', () => {
    const file = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    expect(file).toBe(reference(commands))
  })
})
