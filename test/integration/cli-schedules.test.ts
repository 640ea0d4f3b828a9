import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../functions/problems/problem.ts'
import { type CliWorld, startCliWorld } from './cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

const stateOf = (entity: string) => world.schedules.get(`schedule-${entity}`)?.['State']

it('shows when each entity is synced next', async () => {
  const { stdout } = await world.longshore('status')
  expect(stdout).toMatch(/ENTITY .* NEXT RUN\n/)
  expect(stdout).toMatch(/CL .* in 22 h\n/)
})

it('pauses and resumes the schedule of one entity', async () => {
  const before = world.schedules.get('schedule-CL')
  const paused = await world.longshore('pause CL')
  expect(paused.code).toBe(0)
  expect(paused.stdout).toContain('(rate(1 day) UTC) is paused')
  expect(paused.stdout).toMatch(/npx --no-install longshore resume CL --config .+config\.json/)
  expect([stateOf('CL'), stateOf('AD')]).toEqual(['DISABLED', 'ENABLED'])
  const status = JSON.parse((await world.longshore('status --json')).stdout)
  expect(status.entities).toMatchObject([{ next: { kind: 'paused' } }, { next: { kind: 'run' } }])
  expect((await world.longshore('status')).stdout).toMatch(/CL .* paused\n/)

  expect(await world.longshore('resume CL --json')).toMatchObject({ code: 0 })
  expect(world.schedules.get('schedule-CL')).toEqual({
    ...before,
    LastModificationDate: expect.any(Number) as number,
    ClientToken: expect.any(String) as string,
  })
})

it('changes nothing if the schedule is already in that state', async () => {
  const before = world.schedules.get('schedule-AD')
  const { code, stdout } = await world.longshore('resume AD')
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already active') as string,
  })
  expect(world.schedules.get('schedule-AD')).toBe(before)
})

it('explains why an entity has no schedule', async () => {
  const config = world.writeConfiguration('manual.json', { enabled: false })
  expect(await world.longshore('pause CL', '', config)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('`enabled: false`') as string,
  })
  const before = world.schedules.get('schedule-AD')
  world.schedules.delete('schedule-AD')
  const { code, stderr } = await world.longshore('pause AD')
  expect(code).toBe(1)
  expect(stderr).toContain('AD has no schedule in the account')
  expect(stderr).toMatch(/longshore repair-schedule AD --config .+config\.json/)
  expect(await world.longshore('repair-schedule AD')).toMatchObject({ code: 0 })
  expect(await world.longshore('pause AD')).toMatchObject({ code: 0 })
  world.schedules.set('schedule-AD', before ?? {})
})

describe('repair-schedule', () => {
  const defined = [
    'FlexibleTimeWindow',
    'ScheduleExpression',
    'ScheduleExpressionTimezone',
    'State',
    'Target',
  ]
  const definitionOf = (entity: string) => {
    const schedule = world.schedules.get(`schedule-${entity}`)
    return Object.fromEntries(defined.map((name) => [name, schedule?.[name]]))
  }

  const target = { Arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:sync' }

  it('restores a deleted schedule with the command that doctor names', async () => {
    const deployed = definitionOf('CL')
    world.schedules.delete('schedule-CL')
    const { problems } = JSON.parse((await world.longshore('doctor --json')).stdout) as {
      problems: Problem[]
    }
    const problem = problems.find(({ kind }) => kind === 'schedule-missing')
    expect(problem?.evidence).toMatch(/^The schedule of CL was deployed, but no longer exists in the account/)
    expect(await world.longshore(problem?.command ?? '')).toMatchObject({
      code: 0,
      stdout: 'The schedule of CL (rate(1 day) UTC) is restored: it did not exist.\n',
    })
    expect(definitionOf('CL')).toEqual(deployed)
  })

  it.each([
    [{ ScheduleExpression: 'rate(1 hour)' }, 'its expression is rate(1 hour), not rate(1 day)'],
    [{ ScheduleExpressionTimezone: 'Europe/Lisbon' }, 'its time zone is Europe/Lisbon, not UTC'],
    [{ FlexibleTimeWindow: { Mode: 'OFF' } }, 'its time window is none, not 15 min'],
    [{ Target: { ...target, Arn: 'arn:other' } }, 'its target is arn:other, not arn:aws:states:'],
    [{ Target: { ...target, Input: '{}' } }, 'its input is {}, not {"entity":"CL"}'],
    [{ Target: { ...target, RoleArn: 'arn:role' } }, 'its role is arn:role, not arn:aws:iam::'],
    [{ Target: target }, 'its dead-letter queue is none, not arn:aws:sqs:'],
  ])('restores a schedule that was changed to %j', async (change, repaired) => {
    const deployed = definitionOf('CL')
    world.schedules.set('schedule-CL', { ...world.schedules.get('schedule-CL'), ...change })
    const { code, stdout } = await world.longshore('repair-schedule CL')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(repaired) as string })
    expect(definitionOf('CL')).toEqual(deployed)
  })

  it('resumes a paused schedule, and changes nothing otherwise', async () => {
    await world.longshore('pause CL')
    const { stdout } = await world.longshore('repair-schedule CL --json')
    expect(JSON.parse(stdout)).toEqual({
      entity: 'CL',
      schedule: 'rate(1 day)',
      timezone: 'UTC',
      repaired: ['it was paused'],
    })
    const before = world.schedules.get('schedule-CL')
    expect(await world.longshore('repair-schedule CL')).toMatchObject({
      code: 0,
      stdout: 'The schedule of CL (rate(1 day) UTC) is as deployed. Nothing was changed.\n',
    })
    expect(world.schedules.get('schedule-CL')).toBe(before)
  })

  it('is refused for an entity without a schedule, or that is not configured or deployed', async () => {
    const manual = world.writeConfiguration('manual.json', { enabled: false })
    expect((await world.longshore('repair-schedule CL', '', manual)).stderr).toContain('`enabled: false`')
    expect((await world.longshore('repair-schedule XX')).stderr).toContain('The entity XX is not configured.')
    const configuration = JSON.parse(readFileSync(world.writeConfiguration('more.json', {}), 'utf8'))
    const more = world.writeConfiguration('more.json', {})
    const entities = [...configuration.entities, { ...configuration.entities[0], name: 'PR' }]
    writeFileSync(more, JSON.stringify({ ...configuration, entities }))
    const { code, stderr } = await world.longshore('repair-schedule PR', '', more)
    expect(code).toBe(1)
    expect(stderr).toContain('The schedule of PR is configured, but not deployed.')
    expect(stderr).toContain(`→ npm run deploy -- -c config=${more}`)
  })
})

it('shows the rest of the status if the schedules cannot be read', async () => {
  process.env['AWS_ENDPOINT_URL_SCHEDULER'] = 'http://127.0.0.1:9'
  const { code, stdout, stderr } = await world.longshore('status')
  expect(code).toBe(0)
  expect(stderr).toContain('Cannot read the schedules')
  expect(stdout).toMatch(/CL .* unknown\n/)
})
