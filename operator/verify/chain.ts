import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { recordsOf } from '../../stored/changes/chain-facts.ts'
import { changesTableKey, setManifestKey, setPrefix } from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { ProposedIncrement } from '../../stored/changes/proposal.ts'
import { existing, expectEqual, manifestIn } from './examination.ts'
import type { VerifiedEntity } from './stored-entity.ts'

export interface CheckedManifest {
  readonly set: SetManifest
  /** Of its manifest. */
  readonly sha256: string
}

/** Checks the manifests of the sets, oldest first: each has the hash of the previous one, and the tip what was proposed. */
export async function checkSetManifests(
  verified: VerifiedEntity,
  { sets, tip }: ChangesLatest,
  stored: ReadonlyMap<string, unknown>,
): Promise<readonly CheckedManifest[]> {
  const { entity, examination } = verified
  const checked: CheckedManifest[] = []
  let sha256: string | undefined
  // After erasure, the list can be empty, and the tip's own manifest gone.
  const ofTip = stored.has(tip) ? [{ runId: tip }] : []
  for (const { runId } of sets.length > 0 ? sets.toReversed() : ofTip) {
    const key = setManifestKey(entity, runId)
    const proposals = sha256 === undefined ? await proposalsOf(verified, runId) : []
    const found = await examination.object({
      key,
      sha256,
      neededBy: 'change-sets',
      check(bytes) {
        const set = manifestIn<SetManifest>(bytes, key, ['kind', 'snapshot', 'parts', 'withheldParts'])
        expectEqual([
          ['the entity', set.entity, entity],
          ['the run', set.runId, runId],
        ])
        const isProposed = proposals.some((proposed) => isDeepStrictEqual({ ...set, ...proposed }, set))
        if (proposals.length > 0 && !isProposed) throw new Damaged('is not what was proposed')
        return { set, sha256: hash('sha256', existing(bytes)) }
      },
    })
    sha256 = found && found.set.kind !== 'reset' ? found.set.baseSha256 : undefined
    if (found) checked.unshift(found)
  }
  return checked
}

/** What the manifest of a set must have. The name of a proposal has its hash. */
async function proposalsOf(
  { entity, examination, list }: VerifiedEntity,
  runId: string,
): Promise<readonly object[]> {
  const proposals: object[] = []
  for await (const { key } of list(`${setPrefix(entity, runId)}proposal-`)) {
    const bytes = (await examination.read(key)) ?? Buffer.alloc(0)
    if (!key.includes(hash('sha256', bytes).slice(0, 32))) continue
    const { evidence: _, by: _by, ...proposed } = JSON.parse(bytes.toString()) as ProposedIncrement
    proposals.push(proposed)
  }
  return proposals
}

/** The list for Athena has the records of all listed sets. */
export async function checkParts(
  { entity, bucket, examination }: VerifiedEntity,
  { sets }: ChangesLatest,
  checked: readonly CheckedManifest[],
): Promise<void> {
  const listed = new Set(sets.filter((set) => recordsOf(set) > 0).map(({ runId }) => runId))
  const known = checked.filter(({ set }) => listed.has(set.runId))
  // Nothing shows the parts of a set whose manifest is damaged.
  if (known.length < listed.size) return
  const expected = known.flatMap(({ set }) => set.parts.map(({ key }) => `s3://${bucket}/${key}\n`)).join('')
  await checkList(examination, { key: changesTableKey(entity), expected, neededBy: 'change-sets' })
}

/** A list of objects, which can be made again. */
export const checkList = (
  examination: VerifiedEntity['examination'],
  { key, expected, neededBy }: { key: string; expected: string; neededBy?: 'change-sets' },
): Promise<unknown> =>
  examination.object({
    key,
    neededBy,
    otherwise: expected,
    check: (bytes) => {
      const lines = (text: string) => text.split('\n').length - 1
      const found = existing(bytes).toString()
      expectEqual([['objects', lines(found), lines(expected)]])
      if (found !== expected) throw new Damaged('lists other objects')
    },
  })
