import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const cli = fileURLToPath(new URL('../../cli', import.meta.url))

const folder = temporaryFolder()

/** A copy of the launchers. `files` are in `node_modules`; without them the packages are not installed. */
function checkout(name: string, files?: Readonly<Record<string, string>>): string {
  const root = join(folder, name)
  mkdirSync(join(root, 'cli'), { recursive: true })
  if (files) mkdirSync(join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files ?? {})) {
    mkdirSync(join(root, 'node_modules', path, '..'), { recursive: true })
    writeFileSync(join(root, 'node_modules', path), text, { mode: 0o700 })
  }
  for (const name of ['longshore.mjs', 'supported-node.mjs'])
    copyFileSync(join(cli, name), join(root, 'cli', name))
  mkdirSync(join(root, 'scripts'))
  copyFileSync(join(cli, '../scripts/node.mjs'), join(root, 'scripts/node.mjs'))
  return root
}

/** Starts a launcher as an older Node would. */
function launch(root: string, { version = '20.1.0', launcher = 'cli/longshore.mjs' } = {}) {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const args = [`--import=data:text/javascript,${older}`, join(root, launcher), 'sync', 'a b']
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

it.each([
  ['cli/longshore.mjs', '20.1.0'],
  ['scripts/node.mjs', '20.1.0'],
  ['cli/longshore.mjs', '22.17.9'],
])('%s on Node %s names the Node that is needed if there is none', (launcher, version) => {
  expect(launch(checkout(`without-node-${version}-${launcher.length}`, {}), { version, launcher })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Longshore needs Node 22\.18 or newer, such as Node 24; this is v.*nodejs\.org\.\n$/,
    ) as string,
  })
})

it.each(['22.18.0', '23.0.0', '24.0.0'])('Node %s runs the program itself', (version) => {
  const root = checkout(`itself-${version}`, {})
  writeFileSync(join(root, 'cli/main.ts'), 'console.log(...process.argv.slice(1))')
  const { status, stdout } = launch(root, { version })
  expect([status, stdout]).toEqual([0, `${join(root, 'cli/main.ts')} sync a b\n`])
})

it('explains a Node that is there and cannot be started', () => {
  const root = checkout('other-library', { [ownNode]: '#!/nonexistent/loader\n' })
  expect(launch(root)).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Longshore needs Node 22\.18 or newer, .* cannot be started: it was built for another C library .*musl/,
    ) as string,
  })
})

it('asks for the packages if they are not installed', () => {
  const root = checkout('without-packages')
  expect(launch(root)).toEqual({
    status: 1,
    stdout: '',
    stderr: `The packages are not installed. Run: npm ci --prefix ${root}\n`,
  })
})
