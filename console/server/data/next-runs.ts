import type { Deployment } from '../../../operator/deployment/deployment.ts'
import { nextRuns, type ScheduleFact } from '../../../operator/deployment/schedules.ts'
import type { Pause } from '../../../stored/pause.ts'

const maxAgeMs = 60_000

/** The schedules of the deployment and what they do next, by entity. Those of an account are read once a minute. */
export function createNextRuns(
  { schedules, now }: Pick<Deployment, 'schedules' | 'now'>,
  readSchedules: () => Promise<readonly ScheduleFact[]>,
) {
  let known: { readonly schedules: ReturnType<typeof readSchedules>; readonly readAt: number } | undefined

  async function readDeployed(): Promise<readonly ScheduleFact[] | undefined> {
    if (!known || Date.now() - known.readAt > maxAgeMs) {
      known = { schedules: readSchedules(), readAt: Date.now() }
    }
    // Without the right to read schedules, everything else is still shown.
    return known.schedules.catch(() => undefined)
  }

  /** `deployed`: of the whole deployment; undefined if they could not be read, or there are none. */
  async function read() {
    const deployed = schedules ? undefined : await readDeployed()
    const existing = schedules ?? deployed?.flatMap((one) => one.existing ?? [])
    const next = nextRuns(existing, now())
    return (entity: string) => ({ nextWith: (pause: Pause | null) => next(entity, pause), deployed })
  }

  return {
    read,
    /** Changes a schedule. What was read before, or meanwhile, is no longer so. */
    async change<T>(action: () => Promise<T>): Promise<T> {
      const result = await action()
      known = undefined
      return result
    },
  }
}
