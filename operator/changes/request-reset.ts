import { longshoreCommand } from '../deployment/deployment.ts'
import { type ChangeSource, type ChangeStore, withoutChangeSets } from './chain.ts'

const reason = 'An operator asked for it.'

/**
 * Makes the next change set a reset, whatever keeps the chain from continuing. Nothing else of the chain changes, so
 * readers and the tip's snapshot stay where they are until then. Throws `CommandError` if there is no chain.
 */
export async function requestReset(store: ChangeStore, source: ChangeSource) {
  const { entity, target } = source
  for (;;) {
    const chain = await store.readLatest(entity)
    if (!chain) throw withoutChangeSets(source)
    const { tip } = chain.value
    // False if a comparison has just moved the tip, which must not be lost.
    if (!(await store.writeLatest(entity, { ...chain.value, reset: reason }, chain))) continue
    const text =
      `The next change set of ${entity} is a reset: its readers load the snapshot. Until then the tip stays ` +
      `run ${tip}. Start it now: ${longshoreCommand(target, `sync ${entity} --watch`)}`
    return { ok: true, text, data: { entity, tip, reset: reason } } as const
  }
}
