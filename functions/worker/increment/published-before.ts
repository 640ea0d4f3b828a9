import type { StepContext } from '../context.ts'
import type { PublishedEnd } from './end.ts'

/**
 * How an increment ended whose worker published its set and crashed before it recorded that; undefined if no set was
 * published. A set that the chain lists is never written again. How many documents readers already had is no longer
 * known.
 */
export async function publishedBefore(
  { changes }: Pick<StepContext, 'changes'>,
  entity: string,
  runId: string,
): Promise<PublishedEnd | undefined> {
  const chain = await changes.readLatest(entity)
  if (!chain?.value.sets.some((set) => set.runId === runId)) return undefined
  const manifest = (await changes.readManifest(entity, runId))?.value
  if (manifest?.kind !== 'increment') return undefined
  const { from, to, proof, records, older, withoutId } = manifest
  const uniqueIds = records + older + withoutId
  const counts = { proof, uniqueIds, pages: 0, total: uniqueIds, older, withoutId }
  return { status: 'published', window: { from, to }, ...counts, manifest }
}
