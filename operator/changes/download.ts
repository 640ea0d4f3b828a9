import { objectReader, openStores } from '../aws/objects.aws.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { writeNdjson } from '../snapshot/write-file.ts'
import { writeOutput } from '../snapshot/write-output.ts'
import { type ChangeRange, downloadAgain, recordLines, requireSet } from './chain.ts'

export interface ChangesDownload {
  readonly entity: string
  readonly range: ChangeRange
  readonly file: string
  readonly records: number
}

/** Writes the records of change sets to a file. Throws `CommandError` and `Interrupted`, and then the file is unchanged. */
export async function downloadChanges(
  { entity, range, file, records }: ChangesDownload,
  { deployment: { bucket, configuration }, target, reporter, signal }: Operation,
): Promise<void> {
  const download = downloadAgain(entity)
  const source = { bucket, configuration, entity, target, download }
  const store = openStores(bucket).changes
  const manifests = await Promise.all(range.sets.map(({ runId }) => requireSet(store, runId, source)))
  const progress = reporter.progress(entity)
  const fix = `download the snapshot again: ${longshoreCommand(target, download)}`
  await writeOutput({ file, signal, fix }, async () => {
    const lines = recordLines(manifests, objectReader(bucket, signal), (done) => {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
      progress.show(done, records)
    })
    await writeNdjson(file, lines)
  }).finally(() => progress.end())
}
