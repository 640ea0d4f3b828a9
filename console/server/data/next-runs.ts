import type { Deployment } from '../../../operator/deployment/deployment.ts'
import { nextRuns, type readSchedules } from '../../../operator/schedules/schedules.ts'
import type { NextRun } from '../../contract.ts'

const maxAgeMs = 60_000

/** What the schedules of the deployment do next, by entity. They are read once a minute. `npm start` has none. */
export function createNextRuns(
  { kind, configuration, now }: Pick<Deployment, 'kind' | 'configuration' | 'now'>,
  read: (name: string) => ReturnType<typeof readSchedules>,
) {
  let known: { readonly schedules: ReturnType<typeof readSchedules>; readonly readAt: number } | undefined

  return async (): Promise<(entity: string) => NextRun> => {
    if (kind === 'local') return () => ({ kind: 'none' })
    if (!known || Date.now() - known.readAt > maxAgeMs) {
      known = { schedules: read(configuration.name), readAt: Date.now() }
    }
    // Without the right to read schedules, everything else is still shown.
    return nextRuns(await known.schedules.catch(() => undefined), now())
  }
}
