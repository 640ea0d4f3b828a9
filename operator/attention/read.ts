import { readChains } from '../changes/read-chains.ts'
import { type Deployment, deployCommand, type Target } from '../deployment/deployment.ts'
import { commandsFor } from '../doctor/fixes.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'
import { readTables } from '../tables/read-tables.ts'
import { type EntityView, entityItems, type ScheduleState } from './entity-items.ts'
import type { AttentionItem } from './item.ts'
import { attentionList } from './list.ts'

interface Known {
  readonly views: readonly EntityView[]
  /** Undefined if they could not be read, or there are none. */
  readonly schedules: readonly ScheduleFact[] | undefined
  readonly target: Target
}

/** What waits for a person at these entities. */
export async function readAttention(
  deployment: Pick<Deployment, 'bucket' | 'configuration' | 'now'>,
  { views, schedules, target }: Known,
): Promise<AttentionItem[]> {
  const [chainOf, tableOf] = await Promise.all([readChains(deployment, views), readTables(deployment, views)])
  const command = commandsFor(target)
  const now = deployment.now()
  const items = views.flatMap((view) => {
    const { entity } = view
    const schedule = scheduleState(entity, schedules, target)
    return entityItems({ view, chain: chainOf(entity), table: tableOf(entity), schedule, now, command })
  })
  return attentionList(items, command)
}

/** The schedule of an entity among the deployed ones. `npm start` has none. */
export function scheduleState(
  entity: string,
  schedules: readonly ScheduleFact[] | undefined,
  target: Target,
): ScheduleState {
  if (!schedules || target.kind === 'local') return { kind: 'unknown' }
  const fact = schedules.find(
    ({ definition }) => definition.entity === entity && definition.starts === 'full',
  )
  return fact ? { kind: 'deployed', fact } : { kind: 'not-deployed', deploy: deployCommand(target) }
}
