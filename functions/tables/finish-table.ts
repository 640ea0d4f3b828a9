import { isDeepStrictEqual } from 'node:util'
import { sendEvent } from '../../stored/events.ts'
import { followGlue } from '../../stored/glue/follow-glue.ts'
import { withoutReason } from '../../stored/inventory/reason.ts'
import { readTableFacts, tableReasons } from '../../stored/inventory/table-facts.ts'
import type { Stored } from '../../stored/objects.aws.ts'
import type { TableLatest } from '../../stored/tables/table.ts'
import { cleaningUp } from '../task/cleaning-up.ts'
import type { TableContext, TableSettings } from './context.ts'

/**
 * Does what follows a commit: Glue, the event, and the clean-up. A commit that stopped in between is finished when it is
 * repeated. Returns what `latest.json` is afterwards.
 */
export async function finishTable(
  context: TableContext,
  { name: entity }: Pick<TableSettings, 'name'>,
  { value: latest, etag }: Stored<TableLatest>,
): Promise<TableLatest> {
  const inGlue = await followGlue(context, entity)
  const announced = latest.announced || (await announce(context, entity, latest))
  const finished = { ...latest, announced, ...inGlue }
  // If another commit writes it at the same time, the worst case is that the event is sent again.
  if (!isDeepStrictEqual(finished, latest)) await context.tables.writeLatest(entity, finished, { etag })
  await cleanUpTable(context, entity)
  return finished
}

function announce(context: TableContext, entity: string, latest: TableLatest): Promise<boolean> {
  const { runId, rows, rejected, metadata } = latest
  const detail = { entity, runId, rows, rejected, metadata }
  return sendEvent(context, { type: 'Table Published', detail })
}

/** Deletes the files that readers no longer need. */
export async function cleanUpTable(
  context: Pick<TableContext, 'tables' | 'log' | 'now'>,
  entity: string,
): Promise<void> {
  const { tables, log, now } = context
  await cleaningUp(log, { entity }, async () => {
    const facts = await readTableFacts(context, entity)
    if (!facts) return
    const expired = withoutReason(tableReasons(facts, now()))
    await tables.deleteKeys(expired)
    if (expired.length > 0) log('INFO', 'table cleaned up', { entity, objects: expired.length })
  })
}
