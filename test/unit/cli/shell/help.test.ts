import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import { parse } from '../../../../cli/shell/parser.ts'
import { reference } from '../../../../cli/shell/reference.ts'

function textOf(line: string): string {
  const parsed = parse(commands, line.split(' '))
  if (parsed.kind !== 'text') throw new Error(`${line} runs a command`)
  return parsed.text
}

describe('help', () => {
  it('lists every command in the overview, with its summary', () => {
    const text = textOf('help').replaceAll(/\s+/g, ' ')
    for (const { name, summary } of commands) expect(text).toMatch(new RegExp(`${name} .*${summary}`))
  })

  it('shows usage, summary, options with value names, choices and defaults, and examples', () => {
    const text = textOf('help pull')
    expect(text).toMatch(
      /^Usage: longshore pull \[options\] <ENTITY>\n\nDownload an entity's snapshot and verify every page\.\n/,
    )
    expect(text).toMatch(/\nOptions:\n {2}-o, --output <FILE\|DIR> {2}Write to this file or directory/)
    expect(text).toMatch(
      /\n {2}--format <FORMAT> +File format \(choices: "ndjson",\s+"csv",\s+"spreadsheet",\s+default:\s+"ndjson"\)\n/,
    )
    expect(text).toMatch(/\nGlobal Options:\n.* {2}--json +Print the result as JSON\n/s)
    expect(text).toContain(
      '\nExamples:\n  # Download the snapshot of CL to CL.ndjson\n  $ npx --no-install longshore pull CL\n\n  # Bring',
    )
  })

  it('lists the exit codes in one column', () => {
    expect(textOf('help')).toContain(
      [
        'Exit codes:',
        '    0  The command succeeded and found no problem',
        '    1  The command failed, found a problem, or was declined at its prompt',
        '    2  The command line or the configuration is invalid; nothing was done',
        '    2  `status --check` and `doctor`: something could not be checked',
        '  130  The command was interrupted by Ctrl-C, SIGTERM or SIGHUP',
      ].join('\n'),
    )
  })

  it('lists every option of every command', () => {
    for (const { name, options = {} } of commands) {
      for (const flags of Object.keys(options)) expect(textOf(`help ${name}`)).toContain(`  ${flags}  `)
    }
  })

  it('has examples for every command, each of which the parser accepts', () => {
    for (const { name, examples } of commands) {
      expect(examples).not.toEqual({})
      for (const line of Object.keys(examples)) {
        const [args = ''] = line.split(/ [<>] /)
        expect(parse(commands, args.split(' '))).toMatchObject({ kind: 'run', command: { name } })
      }
    }
  })

  it('keeps its lines within 120 columns', () => {
    const texts = [textOf('help'), ...commands.map(({ name }) => textOf(`help ${name}`))]
    expect(texts.flatMap((text) => text.split('\n')).filter(({ length }) => length > 120)).toEqual([])
  })

  it('matches docs/cli.md, which npm run check -- cli-reference generates', () => {
    const file = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
    expect(file).toBe(reference(commands))
  })
})
