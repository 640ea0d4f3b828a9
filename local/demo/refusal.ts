import type { Bundle } from '../bundle.ts'
import { output } from '../output.ts'
import { runSync } from './sync.ts'

/** Lets documents disappear, syncs again and shows that the guard refuses to publish. */
export async function showRefusal(
  bundle: Bundle,
  entity: string | undefined,
  lose: (entity: string) => string,
) {
  // The previous step has reported a missing entity.
  if (entity === undefined) return
  output.found('Documents disappear from the platform', lose(entity))
  const { runId, status, reason } = await runSync(bundle, entity)
  if (status !== 'refused')
    throw new Error(`The sync ended as ${status}, and should have been refused. ${reason ?? ''}`.trim())
  output.done(`refused: ${reason}`)
  const commands = ['review', 'accept'].map((name) => `npx --no-install longshore --local ${name} ${runId}`)
  output.found('The published snapshot stays. Review what is missing, then decide', commands.join('\n'))
}
