import { gunzipSync } from 'node:zlib'
import type { Bundle } from '../bundle.ts'
import { output, shortened } from '../output.ts'
import { eventually, send } from './request.ts'
import { syncEntity } from './sync.ts'

/** Changes documents of the stand-in, syncs again and prints the change set. */
export async function showChanges(
  bundle: Bundle,
  entity: string | undefined,
  change: (entity: string) => string,
) {
  const configured = bundle.settings.entities.find(({ name }) => name === entity)
  // The previous step has reported a missing entity.
  if (!configured || configured.changes === false) return
  const since = await tipOf(bundle, configured.name)
  output.found('Documents change on the platform', change(configured.name))
  const run = await syncEntity(bundle, configured.name)
  // Another sync may have published a later run since. Run ids sort by time.
  await eventually(async () => (await tipOf(bundle, configured.name)) >= run.runId)
  const path = `/syncs/${configured.name}/changes?since=${since}` as const
  const { sets } = JSON.parse(await send(bundle.apiUrl, `GET ${path}`)) as { sets: ChangeSetView[] }
  if (sets.length === 0) throw new Error('The second sync has no change set.')
  // More than one if another sync ended before the demo's own.
  for (const { created, updated, deleted } of sets)
    output.done(`${created} created, ${updated} updated, ${deleted} deleted`)
  const lines = await Promise.all(sets.flatMap(({ parts }) => parts).map(({ link }) => linesOf(link)))
  output.found('First records', lines.flat().slice(0, 3).map(shortened).join('\n'))
}

interface ChangeSetView {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly parts: readonly { readonly link: string }[]
}

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
