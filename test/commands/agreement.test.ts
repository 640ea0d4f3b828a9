import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OverviewResponse } from '../../console/contract/overview.ts'
import { consoleApiRoutes } from '../../console/server/api.ts'
import { respondToRoute } from '../../console/server/routes.ts'
import { type Problem, withoutStep } from '../../functions/problems/problem.ts'
import { problemsOf } from '../../functions/problems/problems.ts'
import { readFacts, withoutSchedules } from '../../functions/problems/read-facts.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { lookContext } from '../../operator/problems/look.ts'
import { silentReporter } from '../../operator/reporter.ts'
import { openState, openSyncs } from '../../operator/sync/syncs.ts'
import type { Pause } from '../../stored/pause.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
  await world.longshore('sync --all --watch')
})
afterAll(() => world.close())

interface Shown extends Pick<Problem, 'kind' | 'level' | 'entity' | 'command'> {}

/** Everything but its texts, so that nothing is shown that is not part of a problem. */
const shown = ({ since: _since, evidence: _evidence, action: _action, ...rest }: Problem): Shown => rest
async function printed(args: string) {
  const { code, stdout } = await world.longshore(args)
  return { code, problems: (JSON.parse(stdout) as { problems: Problem[] }).problems.map(shown) }
}
const codeOf = (problems: readonly Shown[]) => (problems.some(({ level }) => level === 'problem') ? 1 : 0)

/** Of a command line for the deployment. */
const argsOf = (line: string | null | undefined) => /longshore (.*) --config /.exec(line ?? '')?.[1]

/** What the console finds at this moment, and a look without the schedules, as that of the freshness function for the API. */
async function looks(): Promise<{ readonly page: Shown[]; readonly api: Shown[] }> {
  const target = { kind: 'stacks', config: join(world.folder, 'config.json'), name: undefined } as const
  const deployment = await findDeployment(target)
  const routes = consoleApiRoutes({
    deployment,
    syncs: openSyncs(deployment, silentReporter),
    target: () => target,
    inspect: () => inspectDeployment(target, silentReporter),
  })
  const url = new URL('http://console/console/api/overview')
  const response = await respondToRoute(routes, { method: 'GET', url }, async () => undefined)
  const { problems } = JSON.parse(response.body as string) as OverviewResponse
  const facts = await readFacts(lookContext(deployment, withoutSchedules))
  return {
    page: problems.map(({ kind, level, entities: [entity], command }) => ({
      kind,
      level,
      ...(entity !== undefined && { entity }),
      ...(command !== null && { command: argsOf(command) ?? '' }),
    })),
    api: problemsOf(facts).map((problem) => shown(withoutStep(problem))),
  }
}

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const pauseOf = (until: string | null): Pause => ({
  by: 'user/ana',
  since: hoursFromNow(-3),
  reason: 'Migration.',
  until,
})
const changeSchedule = (change: object) =>
  void world.schedules.set('schedule-CL', { ...world.schedules.get('schedule-CL'), ...change })
const paused = { kind: 'paused', level: 'note', entity: 'CL', command: 'resume CL' } as const
const broken = { level: 'problem', entity: 'CL', command: 'repair-schedule CL' } as const

interface State {
  readonly name: string
  readonly pause?: Pause
  readonly change?: () => void
  readonly found: Shown[]
  /** Of a look that reads no schedules. */
  readonly api: Shown[]
}

const disable = () => changeSchedule({ State: 'DISABLED' })
const states: readonly State[] = [
  { name: 'as it should be', found: [], api: [] },
  { name: 'paused by a person until later', pause: pauseOf(hoursFromNow(8)), found: [paused], api: [paused] },
  { name: 'paused without an end', pause: pauseOf(null), found: [paused], api: [paused] },
  { name: 'no longer paused, as the end has passed', pause: pauseOf(hoursFromNow(-1)), found: [], api: [] },
  { name: 'paused by its disabled schedule', change: disable, found: [paused], api: [] },
  {
    name: 'paused by a person and by its disabled schedule',
    pause: pauseOf(hoursFromNow(8)),
    change: disable,
    found: [paused],
    api: [paused],
  },
  {
    name: 'without its schedule',
    change: () => void world.schedules.delete('schedule-CL'),
    found: [{ ...broken, kind: 'schedule-missing' }],
    api: [],
  },
  {
    name: 'without its schedule while it is paused',
    pause: pauseOf(null),
    change: () => void world.schedules.delete('schedule-CL'),
    found: [{ ...broken, kind: 'schedule-missing' }, paused],
    api: [paused],
  },
  {
    name: 'scheduled otherwise than deployed',
    change: () => changeSchedule({ ScheduleExpression: 'rate(1 hour)' }),
    found: [{ ...broken, kind: 'schedule-changed' }],
    api: [],
  },
]

it.each(states)('status, doctor and the console show the same of an entity that is $name', async (state) => {
  const schedule = world.schedules.get('schedule-CL') ?? {}
  const entities = openState(world.stores.table)
  state.change?.()
  await entities.setPause('CL', state.pause ?? pauseOf(hoursFromNow(-2)))
  try {
    expect(await printed('status --json --check')).toEqual({
      code: codeOf(state.found),
      problems: state.found,
    })
    const doctor = await printed('doctor --json')
    expect(doctor.code).toBe(codeOf(doctor.problems))
    expect(doctor.problems.filter(({ entity }) => entity)).toEqual(state.found)
    expect(await looks()).toEqual({ page: state.found, api: state.api })
  } finally {
    world.schedules.set('schedule-CL', schedule)
  }
})

it('status --check does not succeed if the schedules of a healthy entity cannot be read', async () => {
  const { AWS_ENDPOINT_URL_SCHEDULER: endpoint } = process.env
  process.env['AWS_ENDPOINT_URL_SCHEDULER'] = 'http://127.0.0.1:9'
  try {
    expect(await printed('status --json --check')).toEqual({ code: 2, problems: [] })
  } finally {
    process.env['AWS_ENDPOINT_URL_SCHEDULER'] = endpoint
  }
})
