import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { plural } from '../../functions/runtime/format.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Manifest, ManifestPage } from '../../stored/snapshots/manifest.ts'
import type { EntityView } from '../../stored/views.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortenedLine } from '../output.ts'
import { exampleDock, exampleSubscription } from '../shop/example-shop.ts'
import { showChanges, showIncrement } from './show-changes.ts'
import { eventually, publishEntity, readJson, runSync, sendRequest } from './sync.ts'

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
