import { requireEntity } from '../deployment/deployment.ts'
import { createInspections } from '../doctor/inspect.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { requireScheduled } from '../schedules/find-schedule.ts'
import type { Pause } from '../waiting.ts'
import { type AskPerson, alarmCheck, mailCheck } from './alarm-checks.ts'
import { apiChecks } from './api-checks.ts'
import { cleanUp } from './clean-up.ts'
import type { LiveCheck } from './live-check.ts'
import { runChecks } from './run-checks.ts'
import { tableChecks } from './table-checks.ts'

export interface LiveOptions {
  readonly askPerson: AskPerson
  readonly pause: Pause
}

/** With an address of its own, something other than AWS responds, at once or never. */
const limitMs = { aws: 9 * 60_000, emulator: 2 * 60_000 } as const

const groups = ['API', 'tables', 'alarm', 'schedule'] as const

/**
 * Asks AWS what no emulator can show, in at most ten minutes. What it creates is deleted, also when it is interrupted.
 * Throws `CommandError` and `Interrupted`.
 */
export async function checkLive(
  entity: string,
  { deployment, reporter, signal }: Operation,
  { askPerson, pause }: LiveOptions,
): Promise<LiveCheck[]> {
  const { configuration, stateMachineArn } = deployment
  const settings = requireEntity(configuration, entity)
  requireScheduled(configuration, entity)
  const isAws = process.env['AWS_ENDPOINT_URL'] === undefined
  const [, , , , account = ''] = stateMachineArn.split(':')
  const place = { isAws, account }
  const limit = AbortSignal.timeout(limitMs[isAws ? 'aws' : 'emulator'])
  const waiting = { pause, signal: AbortSignal.any([signal, limit]) }
  const inspections = createInspections(reporter, groups)
  const checks: LiveCheck[] = []
  try {
    const first = await Promise.all([
      inspections.run('API', () => apiChecks(deployment, { place, entity })),
      inspections.run('tables', () => tableChecks(deployment, { place, settings, waiting })),
      inspections.run('alarm', () => alarmCheck(deployment, { place, waiting })),
    ])
    checks.push(...first.flat())
    // After the queries: the sync may publish what they count.
    const run = await inspections.run('schedule', () => runChecks(deployment, { place, entity, waiting }))
    checks.push(...run)
  } finally {
    inspections.end()
    checks.push(await cleanUp(deployment, place))
  }
  if (signal.aborted) throw new Interrupted(interrupted(checks))
  return [...checks, await mailCheck(deployment, { place, askPerson })]
}

function interrupted(checks: readonly LiveCheck[]): string {
  const { outcome, response } = checks.at(-1) ?? {}
  return outcome === 'as-expected'
    ? 'Interrupted. What the checks had created was deleted.'
    : `Interrupted. What the checks had created could not be deleted: ${response}`
}
