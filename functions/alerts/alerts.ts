import { describeError, type Log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { AlertSettings } from '../runtime/settings.ts'
import { parseAddress } from './address.ts'
import { messageOf, type Report } from './message.ts'
import { addChanges, type Looks, type Outbox, withoutOld } from './outbox.ts'
import type { OutboxStore } from './outbox-store.ts'
import type { Post } from './post.ts'
import { slackMessage } from './slack.ts'
import { teamsMessage } from './teams.ts'
import { webhookMessage } from './webhook.ts'

export interface AlertContext {
  /** The configuration's name. */
  readonly deployment: string
  readonly alerts: readonly AlertSettings[]
  readonly outboxes: OutboxStore
  /** The value of a secret, by its name or ARN. */
  readonly readSecret: (secretId: string) => Promise<string | undefined>
  readonly post: Post
  /** What comes before the arguments of a command. */
  readonly commandLine: string
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Stored messages that must be delivered after the look is stored. */
export type Waiting = readonly (readonly [alert: AlertSettings, outbox: Outbox])[]

/**
 * Stores what each receiver must be told. Before a look is stored: if that fails, the next look finds the same changes
 * again, and nothing is lost.
 */
export async function storeChanges({ alerts, outboxes }: AlertContext, looks: Looks): Promise<Waiting> {
  const stored = await outboxes.read(alerts.map(({ url }) => url))
  return Promise.all(
    alerts.map(async (alert, index) => {
      const before = stored[index] as Outbox
      const outbox = addChanges(before, looks, alert)
      await outboxes.write(alert.url, outbox, before)
      return [alert, outbox] as const
    }),
  )
}

/** Sends each receiver one message with everything that it must be told. What fails stays for the next look. */
export async function deliverChanges(context: AlertContext, waiting: Waiting): Promise<void> {
  await Promise.all(waiting.map(([alert, outbox]) => deliver(context, alert, outbox)))
}

async function deliver(context: AlertContext, alert: AlertSettings, stored: Outbox): Promise<void> {
  const { outboxes, log, alerts, now } = context
  const receiver = { alert: `alerts[${alerts.indexOf(alert)}]`, type: alert.type }
  const outbox = withoutOld(stored, now())
  const dropped = stored.pending.length - outbox.pending.length
  if (dropped > 0) log('ERROR', 'alert dropped', { ...receiver, changes: dropped })
  if (outbox.pending.length === 0) return outboxes.write(alert.url, outbox, stored)
  try {
    await send(context, alert, outbox)
  } catch (error) {
    log('ERROR', 'alert not delivered', {
      ...receiver,
      changes: outbox.pending.length,
      error: describeError(error),
      ...metricFields({ AlertFailures: 1 }, {}),
    })
    return outboxes.write(alert.url, outbox, stored)
  }
  log('INFO', 'alert delivered', { ...receiver, changes: outbox.pending.length })
  await outboxes.write(alert.url, { ...outbox, pending: [], left: 0 }, stored)
}

async function send(
  { deployment, commandLine, readSecret, post }: AlertContext,
  { type, url }: AlertSettings,
  { pending, left }: Outbox,
): Promise<void> {
  const address = parseAddress(await readSecret(url))
  await post(address, JSON.stringify(bodyOf(type, { deployment, commandLine, changes: pending, left })))
}

function bodyOf(type: AlertSettings['type'], report: Report): object {
  switch (type) {
    case 'slack':
      return slackMessage(messageOf(report))
    case 'teams':
      return teamsMessage(messageOf(report))
    case 'webhook':
      return webhookMessage(report)
  }
}
