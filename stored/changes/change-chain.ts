import { dayMs } from '../../functions/runtime/durations.ts'
import type { Reason } from '../reason-to-stay.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { deliveredKeysOf, incrementPartsOf } from './chain-facts.ts'
import type { Retention } from './chain-moves.ts'
import { changesPrefix, runIdTime } from './change-keys.ts'
import type { SetManifest } from './changes.ts'
import type { ChangesLatest } from './changes-latest.ts'

/** Objects are kept longer than their entry in the list, so that links that were just issued keep working. */
const graceDays = 1

const maxFailures = 3

/** Whether comparisons from the tip have failed so often and for so long that the chain starts again. */
export function keepsFailing({ failures }: ChangesLatest): boolean {
  if (!failures) return false
  return failures.count >= maxFailures && Date.parse(failures.last) - Date.parse(failures.first) >= dayMs
}

interface SetRetention extends Retention {
  readonly chain: ChangesLatest
  /** The tip's set, whose state may consist of objects of older ones; undefined if it is gone. */
  readonly tipSet: SetManifest | undefined
}

/**
 * Why each object of change sets stays. What has no reason is of sets that have expired, or of comparisons that were not
 * published. What the tip needs never expires.
 */
export function setReasons(
  entity: string,
  { chain, tipSet, keepDays, now }: SetRetention,
): (key: string) => readonly Reason[] {
  const keptMs = (keepDays + graceDays) * dayMs
  const oldest = runIdTime(now - keptMs)
  const listed = new Set(chain.sets.map(({ runId }) => runId))
  const parts = tipSet ? [...tipSet.withheldParts, ...incrementPartsOf(tipSet)] : []
  const ofTip = new Set([...deliveredKeysOf(chain), ...parts.map(({ key }) => key)])
  const prefix = changesPrefix(entity)
  return (key) => {
    const [run = '', name] = key.slice(prefix.length).split('/')
    const kinds = [
      name === undefined && 'pointer',
      (run === chain.tip || ofTip.has(key)) && 'tip',
      name !== undefined && (run > chain.tip || run === chain.comparing?.runId) && 'in-progress',
      listed.has(run) && 'listed',
      name !== undefined && run >= oldest && 'links',
    ] as const
    return kinds.flatMap((kind) =>
      kind ? [{ kind, until: kind === 'links' ? timeOfRunId(run) + keptMs : undefined }] : [],
    )
  }
}

/** The objects of change sets that stay for no reason. */
export function expiredObjects(entity: string, keys: readonly string[], retention: SetRetention): string[] {
  const reasonsOf = setReasons(entity, retention)
  return keys.filter((key) => reasonsOf(key).length === 0)
}
