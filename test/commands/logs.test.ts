import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CliWorld, collect, startCliWorld, until } from '../integration/cli-world.ts'

let world: CliWorld
let runId: string
let startedAt: number
beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
  runId = (await world.snapshot('CL')).latest.runId
  const [run] = JSON.parse((await world.longshore('runs CL --json')).stdout).runs
  startedAt = Date.parse(run.startedAt)
  log('WorkerLogs1', 300, { message: 'run ended', status: 'published', reason: 'a b', documents: 95 })
  log('WorkerLogs1', 100, { message: 'step metrics', _aws: {}, CallMs: 1 })
  log('CompareLogs1', 400, { message: 'comparison ended', counts: { created: 1 } })
  log('SyncApiLogs1', -500, { message: 'request', route: 'POST', reason: '' })
  log('WorkerLogs1', 200, { message: 'of another run', runId: 'other' })
  log('MachineLogs1', 200, { message: 'of the state machine' })
  log('WorkerLogs1', 24 * 3_600_000, { message: 'a day later' })
})
afterAll(() => world.close())

function log(group: string, afterStartMs: number, line: { message: string; [member: string]: unknown }) {
  const timestamp = startedAt + afterStartMs
  const time = new Date(timestamp).toISOString()
  const message = JSON.stringify({ timestamp: time, level: 'INFO', runId, entity: 'CL', ...line })
  world.logGroups.get(group)?.push({ timestamp, message })
}

it('shows the lines of all functions for a run, in the order of their times', async () => {
  const { code, stdout } = await world.longshore(`logs ${runId}`)
  expect(code).toBe(0)
  const [heading, ...lines] = stdout.trimEnd().split('\n')
  expect(heading).toBe(`Run ${runId} of CL:`)
  expect(lines.splice(-2)).toEqual(['', expect.stringMatching(/^Phases: .*Publication/)])
  expect(lines.map((line) => line.slice('00:00:00.000 '.length))).toEqual([
    'INFO  request  route=POST',
    'INFO  run ended  status=published  reason="a b"  documents=95',
    'INFO  comparison ended  counts={"created":1}',
  ])
})

it('returns every line as it was logged with --json', async () => {
  const { stdout } = await world.longshore(`logs ${runId} --json`)
  const { entity, lines } = JSON.parse(stdout)
  expect(entity).toBe('CL')
  expect(lines).toHaveLength(4)
  expect(lines[2]).toMatchObject({ level: 'INFO', runId, status: 'published', documents: 95 })
})

it('shows the last run of an entity', async () =>
  expect((await world.longshore('logs CL')).stdout).toContain(`Run ${runId} of CL:`))

it('follows a run with --follow until it is interrupted', async () => {
  const child = world.start(`logs ${runId} --follow`)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  await until(stdout, 'comparison ended')
  log('WorkerLogs1', 500, { message: 'logged while following' })
  await until(stdout, 'logged while following')
  child.kill('SIGHUP')
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(130)
  expect(stderr.text).toContain(`Stopped following run ${runId} of CL.`)
  const [heading, ...lines] = stdout.text.trimEnd().split('\n')
  expect(heading).toBe(`Run ${runId} of CL:`)
  expect(lines.map((line) => line.slice('00:00:00.000 INFO  '.length).split('  ')[0])).toEqual([
    'request',
    'run ended',
    'comparison ended',
    'logged while following',
  ])
})
