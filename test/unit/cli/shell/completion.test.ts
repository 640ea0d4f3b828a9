import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import { completionScript, shells } from '../../../../cli/shell/completion.ts'

type Shell = (typeof shells)[number]

const quoted = (args: readonly string[]) => args.map((arg) => `'${arg}'`).join(' ')

/** Prints the candidates for the last of some args, one per line. */
const prints: Readonly<Record<Shell, (args: readonly string[]) => string>> = {
  bash: (args) =>
    `COMP_WORDS=(${quoted(args)}) COMP_CWORD=${args.length - 1}; _longshore; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (args) => `words=(${quoted(args)}) CURRENT=${args.length}; _longshore`,
  fish: (args) => `complete -C '${args.join(' ')}'`,
}

/** Replaces the completion system of zsh, which needs a terminal. Like it, filters by the last of the args. */
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
    ['pull CL --format ', ['csv', 'ndjson']],
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
