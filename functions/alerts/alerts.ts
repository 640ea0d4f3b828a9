import type { AlertFailure } from '../problems/look-items.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { AlertSettings, AlertType } from '../runtime/settings.ts'
import { parseAddress } from './address.ts'
import { messageOf, type Report } from './message.ts'
import {
  addChanges,
  delivered,
  hasNumbers,
  type Looks,
  notDelivered,
  type Outbox,
  toldInNumbers,
  withoutOld,
} from './outbox.ts'
import type { OutboxStore } from './outbox-store.ts'
import type { Post } from './post.ts'
import { ContentRefused, refusalOf } from './refusal.ts'
import { slackMessage, slackNumbers } from './slack.ts'
import { teamsMessage, teamsNumbers } from './teams.ts'
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
export async function storeChanges(context: AlertContext, looks: Looks): Promise<Waiting> {
  const { alerts, outboxes, log, now } = context
  const stored = await outboxes.read(alerts.map(({ url }) => url))
  return Promise.all(
    alerts.map(async (alert, index) => {
      const before = stored[index] as Outbox
      const kept = withoutOld(before, now())
      const dropped = before.pending.length - kept.pending.length
      if (dropped > 0) log('ERROR', 'alert dropped', { ...receiverOf(context, alert), changes: dropped })
      const outbox = addChanges(kept, looks, alert)
      await outboxes.write(alert.url, outbox, before)
      return [alert, outbox] as const
    }),
  )
}

/**
 * Sends each receiver one message with everything that it must be told. What fails stays for later looks. Returns the
 * receivers to which something could not be delivered.
 */
export async function deliverChanges(context: AlertContext, waiting: Waiting): Promise<AlertFailure[]> {
  const failed = await Promise.all(
    waiting.map(async ([alert, stored]) => {
      const outbox = await deliver(context, alert, stored)
      await context.outboxes.write(alert.url, outbox, stored)
      const receiver = `${receiverOf(context, alert).alert} (${alert.type})`
      return outbox.failure ? [{ receiver, since: outbox.failure.since, reason: outbox.failure.reason }] : []
    }),
  )
  return failed.flat()
}

const receiverOf = ({ alerts }: AlertContext, alert: AlertSettings) => ({
  alert: `alerts[${alerts.indexOf(alert)}]`,
  type: alert.type,
})

const failureMetric = () => metricFields({ AlertFailures: 1 }, {})

/** What is to be stored after an attempt, or without one while it is not yet time for the next. */
async function deliver(context: AlertContext, alert: AlertSettings, outbox: Outbox): Promise<Outbox> {
  const { deployment, commandLine, log, now } = context
  const { pending, left, failure } = outbox
  const fields = { ...receiverOf(context, alert), changes: pending.length }
  if (failure && failure.looksUntilRetry > 0) {
    const { reason, looksUntilRetry } = failure
    log('WARN', 'alert waits', { ...fields, looksUntilRetry, error: { message: reason }, ...failureMetric() })
    return outbox
  }
  if (pending.length === 0) return outbox
  const report = { deployment, commandLine, changes: pending, left }
  try {
    await send(context, alert, bodyOf(alert.type, report))
  } catch (error) {
    log('ERROR', 'alert not delivered', { ...fields, error: describeError(error), ...failureMetric() })
    const failed = notDelivered(outbox, error instanceof Error ? error.message : String(error), now())
    if (hasNumbers(outbox)) return toldInNumbers(failed)
    return error instanceof ContentRefused ? deliverNumbers(context, alert, { report, failed }) : failed
  }
  log('INFO', 'alert delivered', fields)
  return delivered(outbox)
}

/** At once after the receiver refused the content. Other messages do not wait for one that it never accepts. */
async function deliverNumbers(
  context: AlertContext,
  alert: AlertSettings,
  { report, failed }: { readonly report: Report; readonly failed: Outbox },
): Promise<Outbox> {
  const fields = { ...receiverOf(context, alert), changes: report.changes.length }
  try {
    await send(context, alert, numbersOf(alert.type, report))
  } catch (error) {
    context.log('ERROR', 'alert not delivered', { ...fields, error: describeError(error) })
    return failed
  }
  context.log('INFO', 'alert delivered in numbers', fields)
  return toldInNumbers(failed)
}

async function send(
  { readSecret, post }: AlertContext,
  { type, url: secretId }: AlertSettings,
  body: object,
): Promise<void> {
  const url = parseAddress(await readSecret(secretId))
  const refusal = refusalOf({ type, url }, await post(url, JSON.stringify(body)))
  if (refusal) throw refusal
}

function bodyOf(type: AlertType, report: Report): object {
  switch (type) {
    case 'slack':
      return slackMessage(messageOf(report))
    case 'teams':
      return teamsMessage(messageOf(report))
    case 'webhook':
      return webhookMessage(report)
  }
}

/** A short message: how many problems opened and were resolved, and the command that shows them. */
function numbersOf(type: AlertType, report: Report): object {
  const message = messageOf(report)
  switch (type) {
    case 'slack':
      return slackNumbers(message)
    case 'teams':
      return teamsNumbers(message)
    case 'webhook':
      return webhookMessage({ ...report, changes: [], left: report.changes.length + report.left })
  }
}
