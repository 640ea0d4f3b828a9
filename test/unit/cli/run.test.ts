import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { createTerminal } from '../../../cli/shell/terminal.ts'
import { version } from '../../../functions/runtime/version.ts'
import { noPause } from '../../pauses.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()
const existing = join(folder, 'existing.json')
writeFileSync(existing, '{}')
const init = `init --base-url https://shop.example.com --entities CL`

/** Runs one command line without a terminal. */
async function longshore(line: string) {
  const texts = { stdout: '', stderr: '' }
  const into = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _, done) {
        texts[name] += String(chunk)
        done()
      },
    })
  const streams = { stdin: Readable.from([]), stdout: into('stdout'), stderr: into('stderr') }
  const session = { terminal: createTerminal(streams), pause: noPause, signal: new AbortController().signal }
  return { code: await runCommandLine(line.split(' '), session), ...texts }
}

it.each([
  ['--version', `${version}\n`],
  ['help', 'Operate a Longshore deployment'],
  ['help sync', 'Start syncs of entities.'],
  [`${init} --config ${join(folder, 'one.json')}`, 'Wrote '],
])('%s succeeds with exit code 0 and prints its result', async (line, text) => {
  const { code, stdout, stderr } = await longshore(line)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(text)
  expect(stdout).toMatch(/[^\n]\n$/)
})

it('prints the result as JSON with --json', async () => {
  const file = join(folder, 'two.json')
  const { code, stdout } = await longshore(`${init} --config ${file} --json`)
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { file }])
})

const fix = 'replace it (--force), or write to another file (--config PATH)'

it('prints what failed and its fix on standard error, with exit code 1', async () => {
  const { code, stdout, stderr } = await longshore(`${init} --config ${existing}`)
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^✗ .*existing\.json exists and was not changed\.\n {2}→ replace it .*\n$/),
  ])
})

it('prints the failure as JSON too with --json', async () => {
  const { code, stdout, stderr } = await longshore(`${init} --json --config ${existing}`)
  expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('was not changed.'), fix })
  expect([code, stderr.split('\n').length]).toEqual([1, 3])
})

it.each([
  ['pull', "Missing required argument 'ENTITY'", 'pull --help'],
  ['--local credentials set --now', "Unknown option '--now'", 'credentials set --help'],
  ['pull-all', "Unknown command 'pull-all'", '--help'],
])('%s is invalid: points to the help, with exit code 2', async (line, message, help) => {
  const { code, stdout, stderr } = await longshore(line)
  expect([code, stdout, stderr]).toEqual([2, '', `✗ ${message}\n  → npx --no-install longshore ${help}\n`])
})

it('does not point to help if the configuration is invalid', async () => {
  const { code, stderr } = await longshore(`${init} --schedule daily --config ${join(folder, 'three.json')}`)
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('→')])
  expect(stderr).toContain('daily')
})

it.each([
  ['sync', 'Missing ENTITY or --all.'],
  ['sync CL --all', 'ENTITY cannot be combined with --all.'],
  [
    'sync --all --accept-deletes',
    '--accept-shrink and --accept-deletes need one entity, not several or --all.',
  ],
  ['sync CL AD --accept-deletes', '--accept-shrink and --accept-deletes need one entity'],
  ['sync CL AD --increment', '--increment needs one entity'],
  ['changes CL --follow --reset', '--follow cannot be combined with --output or --reset.'],
  [`pull CL --update --force`, '--update cannot be combined with --format, --run or --force.'],
  ['runs CL --limit 0', "Invalid value '0' for --limit."],
  ['console --port x', "--port: 'x' is not a number from 0 to 65535."],
])('%s is refused before anything is read', async (line, message) => {
  const { code, stderr } = await longshore(line)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

it('npm start has no schedules to repair', async () => {
  const { code, stderr } = await longshore('repair-schedule CL --local')
  expect([code, stderr]).toEqual([
    1,
    '✗ npm start runs the schedules of its configuration. There is nothing to repair.\n  → start a sync by hand: npx --no-install longshore --local sync CL\n',
  ])
})
