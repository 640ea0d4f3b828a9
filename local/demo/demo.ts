import type { Bundle } from '../bundle.ts'
import { output } from '../output.ts'
import { exampleDock, exampleSubscription } from '../shop/example-shop.ts'
import { sendRequest } from './api-request.ts'
import { showChanges, showIncrement } from './show-changes.ts'
import { showTable } from './show-table.ts'
import { showSnapshot } from './snapshot.ts'
import { publishEntity, runSync } from './sync.ts'

interface Demo {
  readonly bundle: Bundle
  readonly entity: string | undefined
  readonly platform: DemoPlatform
  /** Of `longshore` for this `npm start`. */
  readonly commandLine: string
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

/** Uses the API as a client would, and prints requests and responses. False if any step failed. */
export async function runDemo({ bundle, entity, platform, commandLine }: Demo): Promise<boolean> {
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
          () => showIncrement(bundle, entity, platform.change),
          () => showChanges(bundle, entity),
          () => showTable(bundle, entity, commandLine),
          async () => {
            if (platform.lose) await showRefusal({ bundle, entity, commandLine }, platform.lose)
          },
        ]
  let succeeded = true
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
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
  const body = JSON.stringify({ item: { quantity: 3 } })
  const text = await sendRequest(apiUrl, `PATCH /api/rns/subscriptions/${exampleSubscription}`, body)
  const { item } = JSON.parse(text) as { item: { quantity: number } }
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
  { bundle, entity, commandLine }: Omit<Demo, 'platform'>,
  lose: (entity: string) => string,
) {
  // The previous step has reported a missing entity.
  if (entity === undefined) return
  output.found('Documents disappear from the platform', lose(entity))
  const { runId, status, reason } = await runSync(bundle, entity)
  if (status !== 'refused')
    throw new Error(`The sync ended as ${status}, but should have been refused. ${reason ?? ''}`.trim())
  output.done(`refused: ${reason}`)
  const commands = ['review', 'accept'].map((name) => `${commandLine} ${name} ${runId}`)
  output.found('The published snapshot stays. Review what is missing, then decide', commands.join('\n'))
}
