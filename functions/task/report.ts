import type { Log } from '../runtime/log.ts'
import { type MetricValues, metricFields } from '../runtime/metrics.ts'
import { type EventSender, type PublishedEvent, sendEvent } from '../state/events.ts'

/** How something that was done for an entity ended, as it is reported. */
export interface Ending<E> {
  readonly level: Parameters<Log>[0]
  readonly message: string
  readonly entity: string
  readonly fields: object
  readonly metrics: MetricValues
  /** Undefined if nobody is notified. */
  readonly event?: E | undefined
}

export interface ReportContext<E> extends EventSender<E> {
  readonly now: () => number
}

/** One line of the log with its metrics, and the event. */
export async function report<E extends PublishedEvent>(
  context: ReportContext<E>,
  { level, message, entity, fields, metrics, event }: Ending<E>,
): Promise<void> {
  const { log, now } = context
  log(level, message, { ...fields, ...metricFields(metrics, { Entity: entity }, now()) })
  if (event) await sendEvent(context, event)
}
