import { announceSets } from '../../../stored/chain/announce-set.ts'
import { chainSnapshotRun, isFullSet } from '../../../stored/changes/chain-facts.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { SetRequest } from '../../../stored/changes/publication.ts'
import { expiredObjects } from '../../../stored/inventory/set-reasons.ts'
import { cleaningUp } from '../../task/cleaning-up.ts'
import { type CompareContext, type CompareJob, ComparisonFailed } from '../context.ts'
import { type ComparisonResult, describeSet } from '../result.ts'

/** The publisher may still publish the set. */
export class StillChecked extends ComparisonFailed {}

/** Lets the publisher publish a set whose proposal is stored. `outdated`: another comparison or an increment moved the tip. */
export async function requestPublication(
  context: CompareContext,
  job: CompareJob,
  request: SetRequest,
): Promise<ComparisonResult | 'outdated' | { readonly status: 'guarded'; readonly reason: string }> {
  const { entity, runId, proposal } = request
  const at = context.now()
  const proposed = typeof proposal === 'string' ? { proposed: { key: proposal, at } } : {}
  for (let asked = request; ; asked = { entity, runId, ...proposed }) {
    if (asked === request) context.checkTime()
    else checkTimeLeft(context)
    const result = await context.publisher.publishSet(asked)
    switch (result.kind) {
      case 'published':
        return finishSet(context, job, { runId, unannounced: result.unannounced })
      case 'checking':
        continue
      case 'outdated':
      case 'comparing':
        return 'outdated'
      case 'refused':
        return { status: 'guarded', reason: result.reason }
      case 'damaged':
        throw new ComparisonFailed('other', result.reason)
    }
  }
}

function checkTimeLeft({ checkTime }: CompareContext): void {
  try {
    checkTime()
  } catch (cause) {
    const reason =
      'The publisher has not ended its check of the set in time: its log has the reason. The next sync compares again.'
    throw new StillChecked('other', reason, { cause })
  }
}

/**
 * If the run's set is the tip, repeats the steps that follow its publication: an earlier comparison may have stopped
 * between them. What has moved the tip since has repeated them. Undefined if the chain has no set of the run.
 */
export async function finishTip(
  context: CompareContext,
  job: CompareJob,
  chain: ChangesLatest | undefined,
): Promise<ComparisonResult | undefined> {
  const { entity, request } = job
  const { tip, sets = [], announced } = chain ?? {}
  const runId = [tip, ...sets.map((set) => set.runId)].find((one) => one === request.runId)
  const set = runId && (await context.changes.readManifest(entity, runId))?.value
  if (!set || !isFullSet(set)) return undefined
  if (announced || runId !== tip) return { status: 'published', ...describeSet(set) }
  const result = await requestPublication(context, job, { entity, runId })
  return result === 'outdated' || result.status === 'guarded' ? undefined : result
}

async function finishSet(
  context: CompareContext,
  { entity, changes: { keepDays } }: CompareJob,
  { runId, unannounced }: { readonly runId: string; readonly unannounced: readonly string[] },
): Promise<ComparisonResult> {
  await Promise.all([
    announceSets(context, entity, unannounced),
    cleanUp(context, entity, { keepDays, now: context.now() }),
  ])
  // As published, since another comparison of the run may have proposed it.
  const set = (await context.changes.readManifest(entity, runId))?.value
  if (!set || !isFullSet(set)) throw new Error(`The set of the run ${runId} is gone.`)
  return { status: 'published', ...describeSet(set) }
}

/** Records that a publication was not compared, so that the chain starts again when change sets are turned on. */
export async function markOff(
  { snapshots, changes, publisher }: Pick<CompareContext, 'snapshots' | 'changes' | 'publisher'>,
  entity: string,
): Promise<ComparisonResult> {
  const result = { status: 'off', entity } as const
  for (;;) {
    const chain = (await changes.readLatest(entity))?.value
    if (chain?.reset) return result
    const latest = await snapshots.readLatest(entity)
    if (!latest || (chain && latest.value.runId <= chainSnapshotRun(chain))) return result
    if (!chain) {
      await changes.writeUnpublished(entity, { kind: 'off', runId: latest.value.runId })
      return result
    }
    const note = { kind: 'reset', reason: 'Change sets were turned off.' } as const
    if ((await publisher.note({ entity, tip: chain.tip, note })).kind === 'noted') return result
  }
}

async function cleanUp(
  { changes, log }: CompareContext,
  entity: string,
  retention: { readonly keepDays: number; readonly now: number },
): Promise<void> {
  await cleaningUp(log, { entity }, async () => {
    const chain = (await changes.readLatest(entity))?.value
    if (!chain) return
    // An increment may have moved the tip since the set was published.
    const tipSet = (await changes.readManifest(entity, chain.tip))?.value
    // Without its set, nothing shows which parts the tip needs.
    if (!tipSet) return
    const keys = await Array.fromAsync(changes.listKeys(entity))
    await changes.deleteKeys(expiredObjects(entity, keys, { ...retention, chain, tipSet }))
  })
}
