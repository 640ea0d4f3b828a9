import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ChainState, isStopped, readChainState } from '../../functions/problems/chain-state.ts'
import { findSuperseded } from '../../stored/chain/superseded.ts'
import type { SetCounts } from '../../stored/changes/chain-facts.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { objectReader, openStores, type ReadObject } from '../aws/objects.aws.ts'
import { type Deployment, longshoreCommand, syncFix } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { downloadSnapshot } from '../snapshot/download.ts'
import { type PulledFile, readPulledFile, sha256OfFile, writePulledFile } from '../snapshot/pulled-file.ts'
import { writeOutput } from '../snapshot/write-output.ts'
import type { ChangeRange, ChangeSource, Steps } from './chain.ts'
import { downloadAgain, readSteps, totalsOf } from './chain.ts'
import { PendingChanges } from './pending-changes.ts'
import { addDocuments, addRecords } from './records.ts'
import { updateFile } from './update-file.ts'
import { wholeLines } from './whole-lines.ts'
import { CannotUpdate, type UpdatedContent } from './write-state.ts'

interface UpdateRequest {
  readonly file: string
  readonly source: ChangeSource
  readonly read: ReadObject
  readonly onProgress: (done: number, total: number) => void
  readonly chain: PublishedChain
}

export interface UpdatedFile {
  readonly range: ChangeRange
  readonly totals: SetCounts
  /** Ids in the file before, and after. */
  readonly documentsBefore: number
  readonly documents: number
  /** Documents that the file lacked: new ones of increments, and those that its snapshot withheld. */
  readonly added: Pick<UpdatedContent['added'], 'delivered' | 'withheld'>
  /** Whether the number of documents and the sum of the id hashes were compared: the set after an increment does. */
  readonly isVerified: boolean
  /** False if there was nothing to apply. */
  readonly isChanged: boolean
  /** Whether the change sets lead to the published snapshot. */
  readonly chain: ChainState
  /** Why the file was downloaded again; absent if it was not. */
  readonly downloadedAgain?: string
}

/**
 * Brings a pulled file to the state at the tip of the change sets, and proves it by what the last full set says about
 * this state. If the result would be another one, or what leads there was erased, the snapshot is downloaded again and
 * updated. Throws `CommandError` if the file cannot be updated, and `Interrupted`; it is then unchanged.
 */
export async function updatePulled(pulled: PulledPath, operation: Operation): Promise<UpdatedFile> {
  try {
    return await updateOnce(pulled, operation)
  } catch (error) {
    if (!(error instanceof CannotUpdate)) throw error
    await downloadSnapshot({ ...pulled, format: 'ndjson', run: undefined }, operation)
    const updated = await updateOnce(pulled, operation).catch((cause: unknown) => {
      throw cause instanceof CannotUpdate ? wrongSets(pulled, operation, cause) : cause
    })
    return { ...updated, isChanged: true, downloadedAgain: error.message }
  }
}

interface PulledPath {
  readonly entity: string
  readonly file: string
}

function wrongSets(
  { entity, file }: PulledPath,
  { deployment, target }: Operation,
  cause: CannotUpdate,
): CommandError {
  const reset = longshoreCommand(target, `changes ${entity} --reset`)
  const sync = syncFix(deployment.configuration, entity, target)
  return new CommandError(
    `The change sets do not lead from their snapshot to the state that they promise: ${cause.message} ${file} has the published snapshot.`,
    { fix: `start the change sets again: ${reset}, then ${sync}`, cause },
  )
}

async function updateOnce(
  { entity, file }: PulledPath,
  { deployment, target, reporter, signal }: Operation,
): Promise<UpdatedFile> {
  const { bucket, configuration } = deployment
  const chain = await readPublishedChain(deployment, entity)
  const download = downloadAgain(entity, file)
  const fix = `download it again: ${longshoreCommand(target, download)}`
  const progress = reporter.progress(entity)
  const update = () =>
    applyChanges({
      file,
      source: { bucket, configuration, entity, target, download },
      read: objectReader(bucket, signal),
      onProgress: (done, total) => progress.show(done, total),
      chain,
    })
  return writeOutput({ file, signal, fix }, update).finally(() => progress.end())
}

async function applyChanges(request: UpdateRequest): Promise<UpdatedFile> {
  const { file, source, read, onProgress, chain } = request
  const { state } = chain
  const pulled = await requirePulled(file, source)
  const { runId: since, documents: before, uniqueIds: documentsBefore } = pulled
  const unchanged = {
    totals: totalsOf([]),
    documentsBefore,
    documents: before,
    added: { delivered: 0, withheld: 0 },
    isChanged: false,
    isVerified: false,
    chain: state,
  }
  if (isAhead(since, chain)) return { ...unchanged, range: { since, tip: since, sets: [] } }
  const steps = await readSteps(openStores(source.bucket).changes, since, source)
  const { range, last } = steps
  if (range.tip === since && isState(pulled, last)) return { ...unchanged, range }
  const pending = new PendingChanges(dirname(file))
  // Not `using`: a checkout also runs on Node 22, which does not parse it.
  try {
    const idField = Buffer.from(last.idField)
    await collectChanges(pending, { steps, read, idField })
    const superseded =
      before === documentsBefore ? undefined : (await findSuperseded(pagesOf(file), last.idField)).get(0)
    const { documents, added, sha256 } = await updateFile({
      file,
      idField,
      superseded,
      pending,
      expected: last,
      onProgress: (done) => onProgress(done, before),
    })
    const { entity, runId } = last
    await writePulledFile(file, { entity, runId, documents, uniqueIds: documents, sha256 })
    const { totals } = steps
    return {
      range,
      totals,
      documentsBefore,
      documents,
      added,
      isVerified: last.stateDocuments !== null,
      isChanged: true,
      chain: state,
    }
  } finally {
    pending[Symbol.dispose]()
  }
}

/** Whether nothing leads on from the file: there is no chain, or it does not lead to the file's snapshot yet. */
const isAhead = (runId: string, { published, state }: PublishedChain) =>
  (isStopped(state) && state.tip === null) ||
  (runId === published && (isStopped(state) || state.kind === 'pending'))

/**
 * Whether the pulled file of the tip's run already matches the state at the tip. A snapshot may repeat ids, lacks the
 * withheld documents, and may have older versions than increments delivered. After an increment it was updated already.
 */
function isState({ documents, uniqueIds }: PulledFile, last: SetManifest): boolean {
  const { stateDocuments, withheldParts } = last
  if (stateDocuments === null) return true
  const hasOlder = withheldParts.some(({ delivered }) => delivered === true)
  return documents === stateDocuments && uniqueIds === stateDocuments && !hasOlder
}

async function* pagesOf(file: string) {
  for await (const text of wholeLines(file)) yield { index: 0, text }
}

async function collectChanges(
  pending: PendingChanges,
  { steps, read, idField }: { steps: Steps; read: ReadObject; idField: Buffer },
): Promise<void> {
  for await (const { holds, lines } of steps.lines(read)) {
    if (holds === 'records') addRecords(pending, lines, idField)
    else addDocuments(pending, lines, idField)
  }
}

async function requirePulled(file: string, { entity, target, download }: ChangeSource): Promise<PulledFile> {
  const fix = `download it again: ${longshoreCommand(target, download)}`
  const pulled = await readPulledFile(file)
  if (!pulled || !statSync(file, { throwIfNoEntry: false }))
    throw new CommandError(`${file} was not written by longshore pull.`, { fix })
  if (pulled.entity !== entity)
    throw new CommandError(`${file} contains documents of ${pulled.entity}, not of ${entity}.`)
  if ((await sha256OfFile(file)) !== pulled.sha256)
    throw new CommandError(`${file} was modified after longshore pull wrote it.`, { fix })
  return pulled
}

export interface PublishedChain {
  /** The run whose snapshot is published; undefined without one. */
  readonly published: string | undefined
  readonly state: ChainState
}

/** Whether the change sets of one entity lead to its published snapshot. */
export async function readPublishedChain(
  { bucket, now }: Pick<Deployment, 'bucket' | 'now'>,
  entity: string,
): Promise<PublishedChain> {
  const { snapshots, changes } = openStores(bucket)
  const [latest, stored] = await Promise.all([snapshots.readLatest(entity), changes.readLatest(entity)])
  const snapshot = latest?.value ?? null
  const chain = stored?.value
  const state = await readChainState(changes, entity, { snapshot, chain, now: now() })
  // Nothing leads on from the published snapshot until the next one is compared.
  return { published: snapshot?.runId, state: state.kind === 'erased' ? { kind: 'pending' } : state }
}
