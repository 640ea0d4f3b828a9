import { afterAll, beforeAll, expect, it } from 'vitest'
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
  world.schedules.delete('schedule-AD')
  const { code, stderr } = await world.longshore('pause AD')
  expect(code).toBe(1)
  expect(stderr).toContain('AD has no schedule in the account')
  expect(stderr).toMatch(/npm run deploy -- -c config=.+config\.json --revert-drift/)
})

it('shows the rest of the status if the schedules cannot be read', async () => {
  process.env['AWS_ENDPOINT_URL_SCHEDULER'] = 'http://127.0.0.1:9'
  const { code, stdout, stderr } = await world.longshore('status')
  expect(code).toBe(0)
  expect(stderr).toContain('Cannot read the schedules')
  expect(stdout).toMatch(/CL .* unknown\n/)
})
