import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortenedLine } from '../output.ts'
import { eventually, follow, publishEntity, readJson, sendRequest } from './sync.ts'

/** Changes documents of the stand-in and delivers them by an increment, without a scroll of the whole entity. */
export async function showIncrement(
  bundle: Bundle,
  configured: EntitySettings,
  change: (entity: string) => string,
): Promise<void> {
  if (configured.changes === false) return
  // The first comparison starts after the first sync has ended.
  await tipOf(bundle, configured.name)
  output.found('Documents change on the platform', change(configured.name))
  if (!configured.increments) return
  // The platform's clock has whole seconds: a window ends before what changes in the current one.
  await wait(1_000)
  output.explained(
    'An increment',
    'Asks the platform only for what has changed. Deletes wait for the next full sync.',
  )
  const startedAt = Date.now()
  const line = `POST /syncs/${configured.name}` as const
  const { statusUrl } = await sendRequest<{ statusUrl: string }>(bundle.apiUrl, line, { increment: true })
  const run = await follow(statusUrl)
  if (run.status !== 'published') throw new Error(`The increment ended as ${run.status}: ${run.reason}`)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  output.done(`an increment delivered ${run.increment?.records ?? 0} documents in ${seconds} s`)
}

/** Syncs again and prints the change sets since the first snapshot. */
export async function showChanges(bundle: Bundle, configured: EntitySettings): Promise<void> {
  if (configured.changes === false) return
  output.explained(
    'The next full sync',
    'Scrolls all documents again. Its change set has what increments cannot see: deletes.',
  )
  const { snapshot } = await readJson<{ snapshot: { runId: string } }>(
    `${bundle.apiUrl}/syncs/${configured.name}`,
  )
  const run = await publishEntity(bundle, configured.name)
  // Another sync may have published a later run since. Run ids sort by time.
  await eventually(async () => (await tipOf(bundle, configured.name)) >= run.runId)
  const path = `/syncs/${configured.name}/changes?since=${snapshot.runId}` as const
  const { sets } = await sendRequest<{ sets: ChangeSetView[] }>(bundle.apiUrl, `GET ${path}`)
  if (sets.length === 0) throw new Error('The second sync has no change set.')
  // More than one if another sync ended before the demo's own.
  for (const set of sets) output.done(countsText(set))
  const lines = await Promise.all(sets.flatMap(({ parts }) => parts).map(({ link }) => linesOf(link)))
  output.found('First records', lines.flat().slice(0, 3).map(shortenedLine).join('\n'))
}

type ChangeSetView = ShownCounts & { readonly parts: readonly { readonly link: string }[] }

type ShownCounts =
  | { readonly kind: 'increment'; readonly records: number }
  | {
      readonly kind: 'changes' | 'reset'
      readonly created: number
      readonly updated: number
      readonly deleted: number
    }

const countsText = (set: ShownCounts) =>
  set.kind === 'increment'
    ? `increment: ${set.records} delivered`
    : `${set.created} created, ${set.updated} updated, ${set.deleted} deleted`

/** The run whose snapshot the last change set ends at. The first comparison starts after the first sync has ended. */
async function tipOf({ apiUrl }: Bundle, entity: string): Promise<string> {
  let tip: string | undefined
  await eventually(async () => {
    const response = await fetch(`${apiUrl}/syncs/${entity}/changes`)
    tip = response.ok ? ((await response.json()) as { tip: string }).tip : undefined
    return tip !== undefined
  })
  return tip ?? ''
}

async function linesOf(link: string): Promise<string[]> {
  const response = await fetch(link)
  if (!response.ok) throw new Error(`A part of the change set cannot be read: ${response.status}`)
  return gunzipSync(Buffer.from(await response.arrayBuffer()))
    .toString()
    .trimEnd()
    .split('\n')
}
