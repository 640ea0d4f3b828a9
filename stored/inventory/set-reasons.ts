import { dayMs } from '../../functions/runtime/durations.ts'
import { partsOver } from '../chain/state-parts.ts'
import { deliveredKeysOf, incrementPartsOf, ownWithheldParts } from '../changes/chain-facts.ts'
import type { Retention } from '../changes/chain-moves.ts'
import { changesPrefix, runIdTime, setManifestKey } from '../changes/change-keys.ts'
import type { SetManifest } from '../changes/changes.ts'
import type { ChangesLatest } from '../changes/changes-latest.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { type Reason, withoutReason } from './reason.ts'

/** Objects are kept longer than their entry in the list, so that links that were just issued keep working. */
const graceDays = 1

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
  return withoutReason(keys.map((key) => [key, reasonsOf(key)]))
}

/** The manifest and the parts of a set. */
export const objectsOfSet = (set: SetManifest): string[] => [
  setManifestKey(set.entity, set.runId),
  ...[...set.parts, ...ownWithheldParts(set)].map(({ key }) => key),
]

/**
 * What erasure keeps: the objects of the listed sets, and those of the tip that the next comparison needs. It reads the
 * manifests of the chain, so it keeps nothing else.
 */
export function neededSetKeys(chain: ChangesLatest, manifests: Iterable<SetManifest>): ReadonlySet<string> {
  const { tip, sets, erased } = chain
  const listed = new Set(sets.map(({ runId }) => runId))
  return new Set([
    ...deliveredKeysOf(chain),
    ...[...manifests].flatMap((set) => {
      const { runId } = set
      const isListed = listed.has(runId)
      const isBeginning = runId === tip && !erased
      if (!isListed && !isBeginning) return []
      const state = isBeginning ? partsOver(set).map(({ key }) => key) : []
      return [...objectsOfSet(isListed ? set : { ...set, parts: [] }), ...state]
    }),
  ])
}
