import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SetManifest } from '../../functions/state/changes/changes.ts'
import { objectReader, type ReadObject } from '../aws/objects.aws.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { objectsOfParts } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import { type PulledFile, readPulledFile, sha256OfFile, writePulledFile } from '../snapshot/pulled-file.ts'
import { writeOutput } from '../snapshot/write-output.ts'
import {
  type ChangeRange,
  type ChangeSource,
  downloadAgain,
  openChanges,
  readRange,
  readSet,
  recordLines,
} from './chain.ts'
import type { ChainState } from './chain-state.ts'
import { PendingChanges } from './pending-changes.ts'
import { type PublishedChain, readPublishedChain } from './published-chain.ts'
import { addDocuments, addRecords } from './records.ts'
import { supersededLines } from './superseded-lines.ts'
import { UpdateMismatch, updateFile } from './update-file.ts'
import { wholeLines } from './whole-lines.ts'

interface UpdateRequest {
  readonly file: string
  readonly source: ChangeSource
  readonly read: ReadObject
  readonly onProgress: (done: number, total: number) => void
  readonly chain: PublishedChain
}

export interface UpdatedFile {
  readonly range: ChangeRange
  readonly documents: number
  /** False if there was nothing to apply. */
  readonly isChanged: boolean
  /** Whether the change sets lead to the published snapshot. */
  readonly chain: ChainState
}

/**
 * Brings a pulled file to the state at the tip of the change sets, and proves it by the number of documents and the sum
 * of the id hashes. Throws `CommandError` if the file cannot be updated, and `Interrupted`; it is then unchanged.
 */
export async function updatePulled(
  { entity, file }: { readonly entity: string; readonly file: string },
  { deployment, target, reporter, signal }: Operation,
): Promise<UpdatedFile> {
  const { bucket } = deployment
  const chain = await readPublishedChain(deployment, entity)
  const download = downloadAgain(entity, file)
  const fix = `download it again: ${longshoreCommand(target, download)}`
  const progress = reporter.progress(entity)
  const update = () =>
    applyChanges({
      file,
      source: { bucket, entity, target, download },
      read: objectReader(bucket, signal),
      onProgress: (done, total) => progress.show(done, total),
      chain,
    }).catch((error: unknown) => {
      if (!(error instanceof UpdateMismatch)) throw error
      throw new CommandError(`${error.message} ${file} was not changed.`, { fix, cause: error })
    })
  return writeOutput({ file, signal, fix }, update).finally(() => progress.end())
}

async function applyChanges(request: UpdateRequest): Promise<UpdatedFile> {
  const { file, source, read, onProgress, chain } = request
  const { state } = chain
  const pulled = await requirePulled(file, source)
  const unchanged = { documents: pulled.documents, isChanged: false, chain: state }
  if (isAhead(pulled.runId, chain)) {
    const { runId } = pulled
    return { ...unchanged, range: { since: runId, tip: runId, sets: [] } }
  }
  const store = openChanges(source)
  const range = await readRange(store, pulled.runId, source)
  const manifests = await Promise.all(range.sets.map(({ runId }) => readSet(store, runId, source)))
  const last = manifests.at(-1) ?? (await readSet(store, range.tip, source))
  if (manifests.length === 0 && isState(pulled, last)) return { ...unchanged, range }
  using pending = new PendingChanges(dirname(file))
  const idField = Buffer.from(last.idField)
  await collectChanges(pending, { manifests, last, read, idField })
  const superseded =
    pulled.documents === pulled.uniqueIds
      ? new Set<number>()
      : await supersededLines(() => wholeLines(file), { ...pulled, idField })
  const { documents, sha256 } = await updateFile({
    file,
    idField,
    superseded,
    pending,
    expected: last,
    onProgress: (done) => onProgress(done, pulled.documents),
  })
  const { entity, runId } = last
  await writePulledFile(file, { entity, runId, documents, uniqueIds: documents, sha256 })
  return { range, documents, isChanged: true, chain: state }
}

/** Whether the file is the published snapshot, to which no change set leads yet. */
const isAhead = (runId: string, { published, state: { kind } }: PublishedChain) =>
  runId === published && (kind === 'refused' || kind === 'failed' || kind === 'pending')

/** Whether the pulled file of the tip's run already matches the state at the tip. A snapshot may repeat ids, and lacks the withheld documents. */
function isState({ documents, uniqueIds }: PulledFile, { stateDocuments }: SetManifest): boolean {
  return documents === stateDocuments && uniqueIds === stateDocuments
}

async function collectChanges(
  pending: PendingChanges,
  sets: { manifests: readonly SetManifest[]; last: SetManifest; read: ReadObject; idField: Buffer },
): Promise<void> {
  const { manifests, last, read, idField } = sets
  const ignoreProgress = () => undefined
  // Documents that the tip withholds belong to its state, but no record adds them to a file that never had them. What
  // increments delivered since is newer.
  const withheld = objectsOfParts(last.withheldParts)
  for await (const lines of intactLines(withheld, read, ignoreProgress)) addDocuments(pending, lines, idField)
  for await (const lines of recordLines(manifests, read, ignoreProgress)) addRecords(pending, lines, idField)
}

async function requirePulled(file: string, { entity, target, download }: ChangeSource): Promise<PulledFile> {
  const fix = `download it again: ${longshoreCommand(target, download)}`
  const pulled = await readPulledFile(file)
  if (!pulled || !statSync(file, { throwIfNoEntry: false })) {
    throw new CommandError(`${file} was not written by longshore pull.`, { fix })
  }
  if (pulled.entity !== entity) {
    throw new CommandError(`${file} contains documents of ${pulled.entity}, not of ${entity}.`)
  }
  if ((await sha256OfFile(file)) !== pulled.sha256) {
    throw new CommandError(`${file} was modified after longshore pull wrote it.`, { fix })
  }
  return pulled
}
