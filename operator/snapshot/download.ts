import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { objectReader } from '../aws/objects.aws.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { intactLines, objectsOfPages, requireCount } from './checked-objects.ts'
import { readOlder, requirePublished } from './published.ts'
import { writePulledFile } from './pulled-file.ts'
import { writeCsv, writeNdjson } from './write-file.ts'
import { writeOutput } from './write-output.ts'

export const formats = ['ndjson', 'csv', 'spreadsheet'] as const
export type Format = (typeof formats)[number]

export interface Download {
  readonly entity: string
  readonly file: string
  readonly format: Format
  /** The published snapshot if undefined. */
  readonly run: string | undefined
}

export interface Downloaded extends Omit<Download, 'run'> {
  readonly runId: string
  readonly finishedAt: string
  readonly documents: number
}

/** Writes a snapshot to a file. Throws `CommandError` and `Interrupted`, and then the file is unchanged. */
export async function downloadSnapshot(download: Download, operation: Operation): Promise<Downloaded> {
  const { entity, file, format } = download
  const manifest = await readManifest(download, operation)
  const { runId, documents, uniqueIds, finishedAt } = manifest
  const { deployment, target, reporter, signal } = operation
  const objects = objectsOfPages(manifest.pages)
  const fix = longshoreCommand(target, `verify ${entity}`)
  const progress = reporter.progress(entity)
  await writeOutput({ file, signal, fix }, async () => {
    requireCount(`the manifest of run ${runId}`, objects, documents)
    const pages = intactLines(objects, objectReader(deployment.bucket, signal), (done) => {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
      progress.show(done, documents)
    })
    if (format !== 'ndjson') return writeCsv(file, pages, format)
    const sha256 = await writeNdjson(file, pages)
    await writePulledFile(file, { entity, runId, documents, uniqueIds, sha256 })
  }).finally(() => progress.end())
  return { entity, file, format, runId, finishedAt, documents }
}

async function readManifest({ entity, run }: Download, { deployment, target }: Operation): Promise<Manifest> {
  if (run) return readOlder(deployment, { entity, runId: run }, target)
  return (await requirePublished(deployment, entity, target)).manifest
}
