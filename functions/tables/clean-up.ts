import { withoutReason } from '../../stored/inventory/reason.ts'
import { readTableFacts } from '../../stored/inventory/table-facts.ts'
import { tableReasons } from '../../stored/inventory/table-reasons.ts'
import { cleaningUp } from '../task/cleaning-up.ts'
import type { TableContext } from './context.ts'

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
