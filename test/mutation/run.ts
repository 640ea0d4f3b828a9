import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { parseArgs } from 'node:util'

const help = `Usage: npm run check -- mutation [FILE...] [options]

Mutate code and check that a unit test fails for each mutant.

Without files, mutates everything that stryker.config.json names, which takes an hour or more.

  --changed       only the files that changed since --base
  --base REF      commit to compare with (default HEAD~1)
  --minutes N     with --changed: start no file after this time (default 4)
  --help          show this help

EXAMPLES
  npm run check -- mutation functions/publisher/check/proof.ts
  npm run check -- mutation --changed --base main
`

const { mutate } = JSON.parse(readFileSync('stryker.config.json', 'utf8')) as { mutate: string[] }
const excluded = mutate.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1))

/** Wiring and AWS clients decide nothing. */
const isMutated = (file: string) =>
  mutate.some((glob) => matchesGlob(file, glob)) && !excluded.some((glob) => matchesGlob(file, glob))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    base: { type: 'string', default: 'HEAD~1' },
    minutes: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else if (values.changed) mutateChanged(values.base, Number(values.minutes))
else process.exitCode = stryker(positionals)

/** Mutates the changed files one by one until the time is over. Reports low scores, which only a complete run can judge. */
function mutateChanged(base: string, minutes: number): void {
  const deadline = Date.now() + minutes * 60_000
  const files = changedSince(base).filter(isMutated).filter(existsSync)
  if (files.length === 0) console.log(`No file that is mutated changed since ${base}.`)
  for (const [index, file] of files.entries()) {
    if (Date.now() > deadline) {
      const rest = files.slice(index).join(' ')
      console.log(`Time is over. Not mutated: ${rest}`)
      return
    }
    stryker([file])
  }
}

function changedSince(base: string): string[] {
  try {
    const args = ['diff', '--name-only', base]
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')
  } catch {
    console.log(`There is no commit ${base} to compare with, for example in a shallow clone.`)
    return []
  }
}

function stryker(files: readonly string[]): number {
  const mutate = files.length > 0 ? ['--mutate', files.join(',')] : []
  return spawnSync('npx', ['stryker', 'run', ...mutate], { stdio: 'inherit' }).status ?? 1
}
