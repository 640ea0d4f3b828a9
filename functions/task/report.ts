import { type EventSender, type PublishedEvent, sendEvent } from '../../stored/events.ts'
import type { Log } from '../runtime/log.ts'

/** How something that was done for an entity ended, as it is reported. */
export interface Ending<E> {
  readonly level: Parameters<Log>[0]
  readonly message: string
  readonly fields: object
  /** Undefined if nobody is notified. */
  readonly event?: E | undefined
}

/** One line of the log, and the event. */
export async function report<E extends PublishedEvent>(
  context: EventSender<E>,
  { level, message, fields, event }: Ending<E>,
): Promise<void> {
  context.log(level, message, { ...fields })
  if (event) await sendEvent(context, event)
}
