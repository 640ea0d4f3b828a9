import { existsSync } from 'node:fs'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import { objectReader } from '../../operator/aws/objects.aws.ts'
import { writePulledFile } from '../../operator/changes/pulled-file.ts'
import { UpdateMismatch } from '../../operator/changes/update-file.ts'
import { updatePulled } from '../../operator/changes/update-pulled.ts'
import {
  type Deployment,
  findDeployment,
  longshoreCommand,
  type Target,
} from '../../operator/deployment/deployment.ts'
import { CommandError, Interrupted } from '../../operator/errors.ts'
import { objectsOfPages } from '../../operator/snapshot/checked-objects.ts'
import { intactLines, requireCount } from '../../operator/snapshot/intact-lines.ts'
import { readOlder, readPublished } from '../../operator/snapshot/published.ts'
import { writeCsv, writeNdjson } from '../../operator/snapshot/write-file.ts'
import type { Progress } from '../../operator/text/progress.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { outputFile, writeOutput } from '../snapshot/output-file.ts'
import { downloadResult, formats, pullMode, updateResult } from '../snapshot/pull-results.ts'

export const pullCommand = defineCommand({
  name: 'pull',
  summary: "Download an entity's snapshot and verify every page",
  entity: 'required',
  flags: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE|DIR',
      summary: 'Write to this file or directory (default ENTITY.FORMAT in the current directory)',
    },
    format: { type: 'string', value: 'FORMAT', choices: formats, default: 'ndjson', summary: 'File format' },
    run: { type: 'string', value: 'RUN', summary: 'Download the snapshot of this run, not the latest one' },
    update: { type: 'boolean', summary: 'Apply change sets to a file that was pulled before' },
    force: { type: 'boolean', short: 'f', summary: 'Replace an existing file' },
  },
  description: [
    "Compares every page's size, SHA-256 and document count with the manifest. The file appears under its name only " +
      'when it is complete; until then an existing file stays unchanged.',
    'ndjson: one document per line, each with the bytes that the platform sent. FILE.longshore.json records the run, ' +
      'so that --update can bring the file up to date.',
    'csv: RFC 4180 in UTF-8, with one column for each field of any document, in the order of first appearance. Numbers ' +
      'keep their digits, objects and arrays are JSON, null and a missing field are empty, an empty string is "". ' +
      'Text is not escaped for spreadsheets, which may read a leading = as a formula.',
    'With --update, downloads only the change sets since the run of the file. The result has one line per id, and its ' +
      'document count and id hashes are compared with the last change set before the file is replaced. If the file does ' +
      'not exist, the snapshot is downloaded.',
  ],
  examples: [
    { purpose: 'Download the snapshot of CL to CL.ndjson', command: 'pull CL' },
    { purpose: 'Bring CL.ndjson up to date', command: 'pull CL --update' },
    { purpose: 'Download the snapshot as CSV to a directory', command: 'pull CL --format csv -o exports/' },
    { purpose: 'Download an older snapshot', command: 'pull CL --run 20261121T120000000Z-0123456789ab' },
  ],
  async run({ entity, values, target, terminal, signal }) {
    const { format, run, update, force } = values
    const file = outputFile(values.output, `${entity}.${format}`)
    const mode = pullMode({ format, run, update, force }, { file, exists: existsSync(file) }, () =>
      longshoreCommand(target, `pull ${entity}`),
    )
    const deployment = await findDeployment(target)
    const bar = terminal.progress(entity)
    const context = { deployment, target, signal, bar }
    try {
      if (mode === 'update') return await updateExisting(file, entity, context)
      const manifest = run
        ? await readOlder(deployment, { entity, runId: run }, target)
        : (await readPublished(deployment, entity, target)).manifest
      return await download({ file, format, manifest }, context)
    } finally {
      bar.end()
    }
  },
})

interface PullContext {
  readonly deployment: Deployment
  readonly target: Target
  readonly signal: AbortSignal
  readonly bar: Progress
}

async function download(
  { file, format, manifest }: { file: string; format: (typeof formats)[number]; manifest: Manifest },
  { deployment, target, signal, bar }: PullContext,
): Promise<CommandResult> {
  const { entity, runId, documents, uniqueIds, finishedAt } = manifest
  const objects = objectsOfPages(manifest.pages)
  const fix = longshoreCommand(target, `verify ${entity}`)
  await writeOutput({ file, signal, fix }, async () => {
    requireCount(`the manifest of run ${runId}`, objects, documents)
    const pages = intactLines(objects, objectReader(deployment.bucket, signal), (done) => {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
      bar.show(done, documents)
    })
    if (format === 'csv') return writeCsv(file, pages)
    const sha256 = await writeNdjson(file, pages)
    await writePulledFile(file, { entity, runId, documents, uniqueIds, sha256 })
  })
  return downloadResult({ entity, file, format, runId, finishedAt, documents }, deployment.now())
}

async function updateExisting(
  file: string,
  entity: string,
  { deployment, target, signal, bar }: PullContext,
): Promise<CommandResult> {
  const { bucket } = deployment
  const fix = `download it again: ${longshoreCommand(target, `pull ${entity} -o ${file} --force`)}`
  const updated = await writeOutput({ file, signal, fix }, () =>
    updatePulled({
      file,
      source: { bucket, entity, target },
      read: objectReader(bucket, signal),
      onProgress: (done, total) => bar.show(done, total),
    }).catch((error: unknown) => {
      if (!(error instanceof UpdateMismatch)) throw error
      throw new CommandError(`${error.message} ${file} was not changed.`, { fix, cause: error })
    }),
  )
  return updateResult({ entity, file }, updated)
}
