import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Problem } from '../../functions/problems/problem.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

it('shows when each entity is synced next', async () => {
  const { stdout } = await world.longshore('status')
  expect(stdout).toMatch(/ENTITY .* NEXT RUN\n/)
  expect(stdout).toMatch(/CL .* in 22 h\n/)
})

const pauseOf = async (entity: string) =>
  (JSON.parse((await world.longshore('status --json')).stdout) as Status).entities.find(
    (one) => one.entity === entity,
  )
interface Status {
  readonly problems: readonly Problem[]
  readonly entities: readonly { entity: string; next: object; pause: object | null }[]
}

it('pauses one entity with a reason and an end, and resumes it, whatever its schedule does', async () => {
  const before = world.schedules.get('schedule-CL')
  const paused = await world.longshore('pause CL --reason Migration --until 8h')
  expect(paused.code).toBe(0)
  expect(paused.stdout).toMatch(
    /^CL has been paused by user\/operator since \S+ \S+ UTC, until \S+ \S+ UTC: Migration\.\nIt ends at .+, \d\d:\d\d \S+\.\n/,
  )
  expect(paused.stdout).toMatch(/npx --no-install longshore resume CL --config .+config\.json/)
  const { pause } = (await pauseOf('CL')) ?? {}
  expect(await pauseOf('CL')).toMatchObject({
    next: { kind: 'paused', until: expect.any(String) as string },
    pause: { by: 'user/operator', reason: 'Migration' },
  })
  expect(await pauseOf('AD')).toMatchObject({ next: { kind: 'run' }, pause: null })
  expect((await world.longshore('status')).stdout).toMatch(/CL .* paused, 8 h left\n/)

  expect(JSON.parse((await world.longshore('pause CL --json')).stdout)).toEqual({
    entity: 'CL',
    schedule: 'rate(1 day)',
    timezone: 'UTC',
    paused: true,
    pause: { ...pause, reason: null, until: null },
  })
  expect((await world.longshore('status')).stdout).toMatch(/CL .* paused\n/)

  expect(JSON.parse((await world.longshore('resume CL --json')).stdout)).toMatchObject({
    paused: false,
    pause: null,
  })
  expect(await pauseOf('CL')).toMatchObject({ next: { kind: 'run' }, pause: null })
  expect(world.schedules.get('schedule-CL')).toBe(before)
})

it.each([
  ['pause CL --until tomorrow', "--until: 'tomorrow' is not a time."],
  [`pause CL --reason ${'x'.repeat(201)}`, '--reason: the text has 201 characters. Use at most 200.'],
])('refuses %s', async (args, message) => {
  const { code, stderr } = await world.longshore(args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  expect(await pauseOf('CL')).toMatchObject({ pause: null })
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
  expect(await world.longshore('resume AD')).toMatchObject({ code: 0 })
  world.schedules.set('schedule-AD', before ?? {})
})

const defined = ['FlexibleTimeWindow', 'ScheduleExpression', 'ScheduleExpressionTimezone', 'State', 'Target']
const definitionOf = (entity: string) => {
  const schedule = world.schedules.get(`schedule-${entity}`)
  return Object.fromEntries(defined.map((name) => [name, schedule?.[name]]))
}

it('repair-schedule restores a deleted schedule with the command that doctor names', async () => {
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
