import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import type { Command } from '../../../../cli/shell/command.ts'
import { completionScript, shells } from '../../../../cli/shell/completion.ts'

type Shell = (typeof shells)[number]

const quoted = (args: readonly string[]) => args.map((arg) => `'${arg}'`).join(' ')

/** Prints the candidates for the last argument, one per line. */
const prints: Readonly<Record<Shell, (args: readonly string[]) => string>> = {
  bash: (args) =>
    `COMP_WORDS=(${quoted(args)}) COMP_CWORD=${args.length - 1}; _longshore; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (args) => `words=(${quoted(args)}) CURRENT=${args.length}; _longshore`,
  fish: (args) => `complete -C '${args.join(' ')}'`,
}

/** Replaces the completion system of zsh, which needs a terminal. Like it, filters by the last argument. */
const zshSystem = `compdef() {}
_files() {}
_describe() {
  for it in "\${(@P)2}"; do case $it in "\${words[-1]}"*) print -r -- "\${it/:/\t}" ;; esac; done
}`

const nameOf = (flags: string) => /--([\w-]+)/.exec(flags)?.[1]

/** The candidates for each line, with their descriptions after a tab. */
function complete(shell: Shell, lines: readonly string[]): string[][] {
  const script = [
    ...(shell === 'zsh' ? [zshSystem] : []),
    completionScript(shell, commands),
    ...lines.flatMap((line) => [prints[shell](['longshore', ...line.split(' ')]), 'echo ---']),
  ]
  const { status, stdout, stderr } = spawnSync(shell, ['-c', script.join('\n')], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const texts = stdout.split('---\n').slice(0, -1)
  return texts.map((text) => text.split('\n').filter(Boolean).toSorted())
}

/** The same without descriptions. */
const namesFor = (shell: Shell, lines: readonly string[]) =>
  complete(shell, lines).map((candidates) => candidates.map((line) => line.split('\t')[0]))

/** bash is part of every system that this project supports. */
const isMissing = (shell: string) => shell !== 'bash' && spawnSync(shell, ['--version']).status !== 0

describe.each(shells)('completion in %s', (shell) => {
  it.skipIf(isMissing(shell))('offers every command', () => {
    const [names = []] = namesFor(shell, [''])
    const firstWords = new Set(commands.map(({ name }) => name.replace(/ .*/, '')))
    expect(new Set(names.filter((name) => !name?.startsWith('-')))).toEqual(firstWords)
  })

  it.skipIf(isMissing(shell))('offers the options of every command', () => {
    const globals = ['config', 'help', 'json', 'local', 'name', 'version']
    const options = commands.map(({ options = {} }) => [...Object.keys(options).map(nameOf), ...globals])
    const expected = options.map((names) => names.map((name) => `--${name}`).toSorted())
    const lines = commands.map(({ name }) => `${name} --`)
    expect(namesFor(shell, lines)).toEqual(expected)
  })

  it.skipIf(isMissing(shell)).each([
    ['p', ['partitions', 'pause', 'policy', 'pull', 'purge']],
    ['--config x.json --local res', ['resume']],
    ['credentials s', ['set']],
    ['completion f', ['fish']],
    ['pull CL --form', ['--format']],
    ['pull CL --format ', ['csv', 'ndjson', 'spreadsheet']],
    ['pull --format c', ['csv']],
    ['credentials set --area ', ['documents', 'logistics', 'subscriptions']],
    ['pull sync --up', ['--update']],
    ['sync nothing', []],
    ['--config nothing', []],
    ['pull CL -o nothing', []],
    ['pull CL --output nothing', []],
  ])("completes '%s' with %j", (line, expected) => {
    expect(namesFor(shell, [line])).toEqual([expected])
  })
})

describe.each(['zsh', 'fish'] as const)('completion in %s', (shell) => {
  it.skipIf(isMissing(shell))('describes commands and options', () => {
    expect(complete(shell, ['credentials s', 'sync --al'])).toEqual([
      ["set\tCheck and store the platform's credentials"],
      ['--all\tSync every enabled entity, in place of ENTITY'],
    ])
  })
})

describe('the script', () => {
  const run = async () => ({ ok: true, text: '', data: {} })
  const row = { description: [], examples: {}, run }
  const area = { summary: 'Set one area', choices: ['logistics', 'documents'] }
  const output = { '-o, --output <FILE>': 'Where to write', '--force': "Replace the reader's file" }
  const two: readonly Command[] = [
    { ...row, name: 'credentials set', summary: 'Store them', options: { '--area <AREA>': area } },
    { ...row, name: 'pull', summary: 'Download a snapshot', options: output },
  ]
  /** The lines of a script, without those of the options that every command has. */
  const linesOf = (shell: Shell) => {
    const own = (line: string) =>
      !/--?(config|name|local|json|version)'?\)| -l (config|name|local|json|version) /.test(line)
    return completionScript(shell, two).split('\n').filter(own)
  }

  it('of zsh describes each candidate', () => {
    const lines = linesOf('zsh')
    expect(lines.slice(0, 6)).toEqual([
      '_longshore() {',
      `  local word place='' previous=\${words[CURRENT - 1]}`,
      '  local -a candidates',
      `  for word in "\${(@)words[2,CURRENT - 1]}"; do`,
      `    case "$place $word" in ' credentials' | ' pull' | 'credentials set') place="$place\${place:+ }$word" ;; esac`,
      '  done',
    ])
    expect(lines.slice(-4)).toEqual([
      '  esac',
      '  if (( $#candidates )); then _describe longshore candidates; else _files; fi',
      '}',
      'compdef _longshore longshore',
    ])
    const places = lines.slice(7, -4)
    expect(places.map((line) => line.replace(/ '--(help|version):.*/, ' …'))).toEqual([
      "    ':'*) candidates=('credentials:Store them' 'pull:Download a snapshot' …",
      "    'credentials:'*) candidates=('set:Store them' …",
      "    'credentials set:--area') candidates=(logistics documents) ;;",
      "    'credentials set:'*) candidates=('--area:Set one area' …",
      "    'pull:-o' | 'pull:--output') candidates=() ;;",
      String.raw`    'pull:'*) candidates=('--output:Where to write' '--force:Replace the reader'\''s file' …`,
    ])
  })

  it('of fish has a line for each candidate', () => {
    const at = (words: string) => String.raw`complete -c longshore -n '__longshore_at '\''${words}'\'''`
    expect(linesOf('fish').filter((line) => !line.includes(' -l help '))).toEqual([
      'function __longshore_at',
      "    set -l place ''",
      '    for word in (commandline -opc)[2..]',
      `        contains -- "$place $word" ' credentials' ' pull' 'credentials set'`,
      '        and set place (string trim -- "$place $word")',
      '    end',
      '    test "$place" = "$argv[1]"',
      'end',
      'complete -c longshore -f',
      `${at('')} -a credentials -d 'Store them'`,
      `${at('')} -a pull -d 'Download a snapshot'`,
      `${at('credentials')} -a set -d 'Store them'`,
      `${at('credentials set')} -l area -x -a 'logistics documents' -d 'Set one area'`,
      `${at('pull')} -l output -s o -r -F -d 'Where to write'`,
      String.raw`${at('pull')} -l force  -d 'Replace the reader'\''s file'`,
    ])
  })
})
