import { readTableFacts } from '../../stored/inventory/table-facts.ts'
import { tableReasons } from '../../stored/inventory/table-reasons.ts'
import { describeError } from '../runtime/log.ts'
import type { TableContext } from './context.ts'

/** Deletes the files that readers no longer need. If that fails, the next publication repeats it. */
export async function cleanUpTable(
  context: Pick<TableContext, 'tables' | 'log' | 'now'>,
  entity: string,
): Promise<void> {
  const { tables, log, now } = context
  try {
    const facts = await readTableFacts(context, entity)
    if (!facts) return
    const reasons = [...tableReasons(facts, now())]
    const expired = reasons.flatMap(([key, own]) => (own.length === 0 ? [key] : []))
    await tables.deleteKeys(expired)
    if (expired.length > 0) log('INFO', 'table cleaned up', { entity, objects: expired.length })
  } catch (error) {
    log('ERROR', 'clean-up failed', { entity, error: describeError(error) })
  }
}
