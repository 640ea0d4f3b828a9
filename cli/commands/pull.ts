import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { objectReader } from '../aws/objects.aws.ts'
import { findDeployment, longshoreCommand } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { CommandError, Interrupted } from '../shell/errors.ts'
import { formatAge, formatDocuments } from '../shell/format.ts'
import { DamagedSnapshot, intactPages } from '../snapshot/intact-pages.ts'
import { readPublished } from '../snapshot/published.ts'
import { writeCsv, writeNdjson } from '../snapshot/write-file.ts'

const formats = ['ndjson', 'csv'] as const

export const pullCommand = defineCommand({
  name: 'pull',
  summary: "Download an entity's published snapshot and verify every page",
  takesEntity: true,
  flags: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE|DIR',
      summary: 'Write to this file or directory (default ENTITY.FORMAT in the current directory)',
    },
    format: { type: 'string', value: 'FORMAT', choices: formats, default: 'ndjson', summary: 'File format' },
  },
  description: [
    "Compares every page's size, SHA-256 and document count with the manifest. The file appears under its name only " +
      'when it is complete; until then an existing file stays unchanged.',
    'ndjson: one document per line, each with the bytes that the platform sent.',
    'csv: RFC 4180 in UTF-8, with one column for each field of any document, in the order of first appearance. Numbers ' +
      'keep their digits, objects and arrays are JSON, null and a missing field are empty, an empty string is "". ' +
      'Text is not escaped for spreadsheets, which may read a leading = as a formula.',
  ],
  examples: [
    { purpose: 'Download the snapshot of CL to CL.ndjson', command: 'pull CL' },
    { purpose: 'Download the snapshot as CSV to a directory', command: 'pull CL --format csv -o exports/' },
  ],
  async run({ entity, values, target, terminal, signal }) {
    const { format } = values
    const deployment = await findDeployment(target)
    const { latest, manifest } = await readPublished(deployment, entity, target)
    const file = outputFile(values.output, `${entity}.${format}`)
    const bar = terminal.progress(entity)
    const pages = intactPages(manifest, objectReader(deployment.bucket, signal), (done) => {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
      bar.show(done, manifest.documents)
    })
    try {
      await (format === 'csv' ? writeCsv(file, pages) : writeNdjson(file, pages))
    } catch (error) {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} was not changed.`)
      if (!(error instanceof DamagedSnapshot)) throw error
      throw new CommandError(`${error.message} ${file} was not changed.`, {
        fix: longshoreCommand(target, `verify ${entity}`),
      })
    } finally {
      bar.end()
    }
    const { runId, publishedAt } = latest
    const { documents } = manifest
    const text = `Wrote ${formatDocuments(documents)} to ${file}: run ${runId}, published ${formatAge(publishedAt, deployment.now())}.`
    return { ok: true, text, data: { entity, file, format, runId, publishedAt, documents } }
  },
})

/** A directory receives a file of the default name. */
function outputFile(output: string | undefined, defaultName: string): string {
  const path = resolve(output ?? '.')
  const isDirectory = output?.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isDirectory ? join(path, defaultName) : path
}
