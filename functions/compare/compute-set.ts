import { partKey, type SetManifest } from '../state/changes/changes.ts'
import { manifestKey } from '../state/snapshots/manifest.ts'
import { compareSnapshots, stateOf } from './compare.ts'
import type { CompareContext, CompareJob } from './context.ts'
import { PartWriter } from './records/part-writer.ts'
import { type ComparableTip, decideReset, type Subject, type Tip } from './reset.ts'
import type { RefusedComparison } from './result.ts'

export type ComputedSet = RefusedComparison | { readonly status: 'computed'; readonly manifest: SetManifest }

/** The change set that leads from the tip to the snapshot of the run. Its parts are stored, its manifest is not. */
export async function computeSet(
  context: CompareContext,
  { entity, changes, request }: CompareJob,
  { runId, tip }: { readonly runId: string; readonly tip: Tip | undefined },
): Promise<ComputedSet> {
  const target = await context.snapshots.readManifest(entity, runId)
  if (!target) throw new Error(`The manifest ${manifestKey(entity, runId)} is missing.`)
  const subject: Subject = { target, ignore: changes.ignore }
  const decision = decideReset(tip, subject)
  if (decision.kind === 'reset') {
    context.log('INFO', 'chain reset', { entity, runId, reason: decision.reason })
    return { status: 'computed', manifest: await resetSet(context, subject) }
  }
  // Deletes are accepted for the run that was started to accept them, not for a later one.
  const isAccepted = request.acceptDeletes && (request.runId ?? runId) === runId
  return changesSet(context, {
    ...subject,
    tip: decision.tip,
    maxDeletePercent: isAccepted ? 100 : changes.maxDeletePercent,
  })
}

async function resetSet({ changes, checkTime }: CompareContext, subject: Subject): Promise<SetManifest> {
  const { target } = subject
  const state = await stateOf({ readObject: changes.readObject, checkTime }, target, target.idField)
  return { ...headOf(subject), base: null, kind: 'reset', ...state, parts: [], withheldParts: [] }
}

async function changesSet(
  { changes, checkTime }: CompareContext,
  comparison: Subject & { readonly tip: ComparableTip; readonly maxDeletePercent: number },
): Promise<ComputedSet> {
  const { target, ignore, tip, maxDeletePercent } = comparison
  const { entity, runId, idField } = target
  const writer = (kind: 'records' | 'withheld') =>
    new PartWriter(async (body, sha256) => {
      const key = partKey({ entity, runId }, kind, sha256)
      await changes.writePart(key, body, sha256)
      return key
    })
  const compared = await compareSnapshots(
    {
      readObject: changes.readObject,
      checkTime,
      records: writer('records'),
      withheld: writer('withheld'),
    },
    {
      base: { ...tip.set, snapshot: tip.snapshot },
      target,
      rules: {
        idField,
        ignore,
        absence: target.proof === 'exact' ? 'deleted' : 'withheld',
        maxDeletePercent,
      },
    },
  )
  const base = tip.set.runId
  if (compared.kind === 'refused') return { status: 'refused', entity, base, runId, reason: compared.reason }
  const { kind, counts, ...rest } = compared
  return { status: 'computed', manifest: { ...headOf(comparison), base, kind, ...counts, ...rest } }
}

function headOf({ target, ignore }: Subject) {
  const { entity, runId, idField } = target
  return { version: 1, entity, runId, idField, ignore, snapshot: manifestKey(entity, runId) } as const
}
