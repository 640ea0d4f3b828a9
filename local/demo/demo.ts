import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { plural } from '../../functions/runtime/format.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Manifest, ManifestPage } from '../../stored/snapshots/manifest.ts'
import type { EntityView } from '../../stored/views.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortenedLine } from '../output.ts'
import { exampleDock, exampleSubscription } from '../shop/example-shop.ts'
import { eventually, follow, publishEntity, readJson, runSync, sendRequest } from './sync.ts'

interface Demo {
  readonly bundle: Bundle
  readonly entity: string | undefined
  readonly platform: DemoPlatform
  /** Of `longshore` for this `npm start`; undefined if it ends after the demo. */
  readonly commandLine: string | undefined
}

/** On a real platform the demo changes nothing and reads only what every platform has. */
export type DemoPlatform =
  | { readonly kind: 'real' }
  | {
      readonly kind: 'stand-in'
      /** Changes some documents of an entity and returns a summary. */
      readonly change: (entity: string) => string
      /** What to watch while the platform fails; undefined if it does not fail. */
      readonly watch: string | undefined
      /** Lets many documents of an entity disappear and returns a summary; undefined if none do. */
      readonly lose: ((entity: string) => string) | undefined
    }

/** Uses the API as a client would, and prints it. False if a step failed. After an interrupt it prints nothing more. */
export async function runDemo(
  { bundle, entity, platform, commandLine }: Demo,
  interrupted: AbortSignal,
): Promise<boolean> {
  const entities = bundle.settings.entities.filter(({ name }) => name === entity)
  const steps =
    platform.kind === 'real'
      ? [() => showSync(bundle, entity)]
      : [
          () => readDock(bundle),
          () => patchSubscription(bundle),
          async () => {
            if (platform.watch !== undefined) output.explained('What to watch', platform.watch)
            await showSync(bundle, entity)
          },
          ...entities.flatMap((configured) => [
            () => showIncrement(bundle, configured, platform.change),
            () => showChanges(bundle, configured),
            () => showTable(bundle, configured, commandLine),
            async () => {
              if (platform.lose) await showRefusal({ bundle, commandLine }, configured.name, platform.lose)
            },
          ]),
        ]
  let succeeded = true
  for (const step of steps) {
    try {
      interrupted.throwIfAborted()
      await step()
    } catch (error) {
      if (interrupted.aborted) return false
      succeeded = false
      output.failed(error instanceof Error ? error.message : String(error))
    }
  }
  if (!succeeded) output.failed(`The demo failed. See the functions' log: ${bundle.logFile}`)
  return succeeded
}

async function readDock({ apiUrl }: Bundle) {
  await sendRequest(apiUrl, `GET /api/logistics/pvt/configuration/docks/${exampleDock}`)
}

async function patchSubscription({ apiUrl }: Bundle) {
  const patch = { item: { quantity: 3 } }
  const line = `PATCH /api/rns/subscriptions/${exampleSubscription}` as const
  const { item } = await sendRequest<typeof patch>(apiUrl, line, patch)
  if (item.quantity !== 3) throw new Error('The subscription was not updated.')
}

async function showSync(bundle: Bundle, entity: string | undefined) {
  if (entity === undefined)
    throw new Error('No entity is configured: add one to `entities` of the configuration.')
  await publishEntity(bundle, entity)
  await showSnapshot(bundle, entity)
}

/** Lets documents disappear, syncs again and shows that the guard refuses to publish. */
async function showRefusal(
  { bundle, commandLine }: Pick<Demo, 'bundle' | 'commandLine'>,
  entity: string,
  lose: (entity: string) => string,
) {
  output.found('Documents disappear from the platform', lose(entity))
  const { runId, status, reason } = await runSync(bundle, entity)
  if (status !== 'refused')
    throw new Error(`The sync ended as ${status}, but should have been refused. ${reason ?? ''}`.trim())
  output.done(`refused: ${reason}`)
  const commands = ['review', 'accept'].map((name) => `${commandLine} ${name} ${runId}`)
  if (commandLine === undefined)
    output.noted('The published snapshot stays. To review and accept, start it without --once.')
  else output.found('The published snapshot stays. Review what is missing, then decide', commands.join('\n'))
}

/** Waits for the table of the published snapshot. */
async function showTable(
  bundle: Bundle,
  configured: EntitySettings,
  commandLine: string | undefined,
): Promise<void> {
  if (!configured.columns) return
  const path = `/syncs/${configured.name}` as const
  await eventually(async () => {
    const { table, snapshot } = await readJson<TableOfEntity>(bundle.apiUrl + path)
    return table !== null && snapshot !== null && table.runId >= snapshot.runId
  }, 'table')
  const { table } = await sendRequest<TableOfEntity>(bundle.apiUrl, `GET ${path}`)
  if (!table) throw new Error('The table was removed.')
  const rejected = Object.values(table.rejected).reduce((sum, count) => sum + count, 0)
  output.done(`Iceberg table: ${plural(table.rows, 'row')}, ${plural(rejected, 'rejected value')}`)
  if (commandLine !== undefined) output.found('To query it', `${commandLine} table ${configured.name}`)
}

type TableOfEntity = Pick<EntityView, 'snapshot'> & {
  readonly table: { runId: string; rows: number; rejected: Readonly<Record<string, number>> } | null
}

/** The published manifest, with a link to each page that works without credentials. */
type LinkedManifest = Omit<Manifest, 'pages'> & {
  readonly pages: readonly (ManifestPage & { readonly link: string })[]
}

/** Reads the snapshot as callers of the API do: its manifest, and a page that is checked against its hash. */
async function showSnapshot({ apiUrl }: Bundle, entity: string) {
  const manifest = await sendRequest<LinkedManifest>(apiUrl, `GET /syncs/${entity}/snapshot`)
  output.found('Manifest', formatManifest(manifest))
  const [page] = manifest.pages
  if (!page) return
  const response = await fetch(page.link)
  if (!response.ok) throw new Error(`${page.key} cannot be read: ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) {
    throw new Error(`${page.key} does not have the hash in its manifest.`)
  }
  output.found('First document', shortenedLine(String(gunzipSync(bytes)).split('\n')[0] ?? ''))
}

/** The manifest with one key per line, reduced to its first page. */
function formatManifest({ pages, ...rest }: LinkedManifest): string {
  const lines = Object.entries(rest).map(([name, value]) => `"${name}":${JSON.stringify(value)}`)
  const [first] = pages
  if (first) {
    const { link: _, ...named } = first
    const page = { ...named, key: `…${first.key.slice(-30)}`, sha256: `${first.sha256.slice(0, 12)}…` }
    const more = pages.length > 1 ? `, … ${pages.length - 1} more` : ''
    lines.push(`"pages":[${JSON.stringify(page)}${more}]`)
  }
  return `{ ${lines.join(',\n  ')} }`
}

/** Changes documents of the stand-in and delivers them by an increment, without a scroll of the whole entity. */
async function showIncrement(
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
async function showChanges(bundle: Bundle, configured: EntitySettings): Promise<void> {
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
