import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Of everything that is built, paths and source maps included. */
const hashOf = (folder: string) => {
  const files = globSync('dist/*/*', { cwd: folder }).toSorted()
  expect(files.length).toBeGreaterThan(100)
  return hash(
    'sha256',
    files.map((file) => `${file} ${hash('sha256', readFileSync(join(folder, file)))}`).join(),
  )
}

/** The packages in what is built, and those of the build itself. */
const packages = new Set([
  ...globSync('dist/*/*.map', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)/g)].map(
      ([, name = '']) => name,
    ),
  ),
  'preact',
  'swagger-ui-dist',
])

/** A checkout at another place. */
function copyTo(folder: string): void {
  for (const name of [
    'console',
    'functions',
    'lib',
    'operator',
    'scripts',
    'stored',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const name of packages)
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), {
      recursive: true,
      filter: (path) => !/\/dist-(?:cjs|types)$/.test(path),
    })
  symlinkSync(join(root, 'node_modules/esbuild'), join(folder, 'node_modules/esbuild'))
}

it('a checkout builds the same bytes at any place, whatever is set there', async () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'longshore-build-')))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  const expected = hashOf(root)
  let folder = join(parent, 'first')
  copyTo(folder)
  for (const place of ['a', 'another-place']) {
    const moved = join(parent, place)
    renameSync(folder, moved)
    folder = moved
    for (const [umask, cwd, environment] of [
      ['022', folder, {}],
      ['077', parent, { TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8', NODE_ENV: 'production' }],
      ['002', '/', { TZ: 'America/St_Johns', NODE_ENV: 'development', SOURCE_DATE_EPOCH: '1' }],
    ] as const) {
      rmSync(join(folder, 'dist'), { recursive: true, force: true })
      const build = `umask ${umask} && exec "$0" "$1" --quiet`
      await promisify(execFile)('sh', ['-c', build, process.execPath, join(folder, 'scripts/build.ts')], {
        cwd,
        env: { PATH: process.env['PATH'], ...environment },
      })
      expect(hashOf(folder)).toBe(expected)
    }
  }
})
