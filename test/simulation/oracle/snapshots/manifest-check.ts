import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import type { ScrollRecord } from '../../platform/platform-model.ts'

/** A response may be delayed by a frozen worker, for as long as an invocation can last. */
const maxDelayMs = 15 * 60_000

/** The first statement of a manifest about its scroll that is false; undefined if all are true. */
export function falseStatement(
  manifest: Manifest,
  scroll: ScrollRecord,
  maxSkewMs: number,
): string | undefined {
  return wrongQuery(manifest, scroll) ?? wrongTime(manifest, scroll, maxSkewMs)
}

function wrongQuery({ query }: Manifest, { scroll }: ScrollRecord): string | undefined {
  const sent = [...scroll.query].filter(([name]) => name !== '_size')
  const stated = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as [string, string]),
  )
  if (JSON.stringify(sent) === JSON.stringify(stated)) return undefined
  return `states the query ${JSON.stringify(stated)}, which was ${JSON.stringify(sent)}`
}

function wrongTime(
  { startedAt, openedAt, finishedAt }: Manifest,
  { respondedAt }: ScrollRecord,
  maxSkewMs: number,
): string | undefined {
  const [started, opened, finished] = [startedAt, openedAt, finishedAt].map(Date.parse) as [
    number,
    number,
    number,
  ]
  const times = `${startedAt}, ${openedAt}, ${finishedAt}`
  if (started > opened + 2 * maxSkewMs || opened > finished + 2 * maxSkewMs)
    return `has times out of order: ${times}`
  if (opened < respondedAt - maxSkewMs || opened > respondedAt + maxDelayMs + maxSkewMs)
    return `was opened at ${openedAt}, but its first page was sent at ${new Date(respondedAt).toISOString()}`
  return undefined
}
