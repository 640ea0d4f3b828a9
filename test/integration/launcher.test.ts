import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const launcher = fileURLToPath(new URL('../../cli/longshore.mjs', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A copy of the launcher. `files` are in `node_modules`; without them the packages are not installed. */
function checkout(name: string, files?: Readonly<Record<string, string>>): string {
  const root = join(folder, name)
  mkdirSync(join(root, 'cli'), { recursive: true })
  if (files) mkdirSync(join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files ?? {})) {
    mkdirSync(join(root, 'node_modules', path, '..'), { recursive: true })
    writeFileSync(join(root, 'node_modules', path), text, { mode: 0o700 })
  }
  copyFileSync(launcher, join(root, 'cli', 'longshore.mjs'))
  return root
}

/** Starts the launcher as Node 20 would. */
function launch(root: string) {
  const version = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
  const args = [`--import=data:text/javascript,${version}`, join(root, 'cli', 'longshore.mjs'), 'sync', 'a b']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const ownNode = `node-linux-${process.arch}/bin/node`

it.each([
  ['succeeds', 'exit 0', 0],
  ['finds a problem', 'exit 1', 1],
  ['is interrupted', 'exit 130', 130],
  ['is killed', 'kill -KILL $$', 1],
])('an older Node starts Node 24 with the arguments, and has its exit code if it %s', (name, end, code) => {
  const root = checkout(name, { [ownNode]: `#!/bin/sh\nprintf '%s\\n' "$@"\n${end}\n` })
  expect(launch(root)).toEqual({
    status: code,
    stdout: `${join(root, 'cli', 'main.ts')}\nsync\na b\n`,
    stderr: '',
  })
})

it('an older Node asks for Node 24 if there is none', () => {
  expect(launch(checkout('without-node', {}))).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Longshore needs Node 24 or newer; this is v.*nodejs\.org\.\n$/) as string,
  })
})

it('asks for the packages if they are not installed', () => {
  const root = checkout('without-packages')
  expect(launch(root)).toEqual({
    status: 1,
    stdout: '',
    stderr: `The packages are not installed. Run: npm ci --prefix ${root}/\n`,
  })
})
