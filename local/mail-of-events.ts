import { type Mail, mailOf } from '../functions/alerts/mail.ts'
import { messageOf } from '../functions/alerts/message.ts'
import type { OpenProblem } from '../functions/problems/problem-events.ts'
import { localCommandLine } from '../functions/runtime/command-line.ts'
import type { RecordedEvent } from './embedded/event-bridge.ts'

const kinds = { 'Problem Opened': 'opened', 'Problem Resolved': 'resolved' } as const

/** What the topic of the alarms would receive of the events of a look; undefined if no problem opened or was resolved. */
export function mailOfEvents(events: readonly RecordedEvent[], deployment: string): Mail | undefined {
  const time = new Date().toISOString()
  const changes = events.flatMap(({ detailType, detail }) => {
    const event = kinds[detailType as keyof typeof kinds]
    const problem = detail as OpenProblem
    return event && problem.level === 'problem' ? [{ event, time, problem }] : []
  })
  if (changes.length === 0) return undefined
  return mailOf(messageOf({ deployment, changes, left: 0, commandLine: localCommandLine }))
}
