import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const parts =
  'bench bin cli console docs examples functions lib local operator scripts stored test longshore.config.ts package.json tsconfig.json vitest.config.ts'
const diffs = [...readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8').matchAll(/^```diff\n(.*?)^```$/gms)]

const copy = temporaryFolder()
beforeAll(() => {
  for (const part of parts.split(' ')) cpSync(join(project, part), join(copy, part), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
})

function run(command: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, input, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('the diffs in CONTRIBUTING.md apply in order, and the result type-checks and passes its tests', () => {
  expect(diffs).toHaveLength(3)
  for (const [, diff] of diffs) expect(run('git', ['apply', '-'], diff)).toEqual({ status: 0, output: '' })
  const bin = join(project, 'node_modules/.bin')
  // Not the configured file: it is in `node_modules`, which the copy shares with the project.
  const options = ['--noEmit', '--tsBuildInfoFile', join(copy, 'tsbuildinfo')]
  expect(run(join(bin, 'tsc'), options)).toEqual({ status: 0, output: '' })
  const changed = diffs.flatMap(([diff]) => diff.match(/(?<=^\+\+\+ b\/)test\/unit\/.*/gm) ?? [])
  expect(run(join(bin, 'vitest'), ['run', '--project=unit', ...changed])).toMatchObject({ status: 0 })
})
