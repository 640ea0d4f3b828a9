import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Manifest } from '../../functions/state/manifest.ts'
import { objectReader } from '../aws/objects.aws.ts'
import { findDeployment, ourCommand } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { CommandError, Interrupted } from '../shell/errors.ts'
import { ago, documents } from '../shell/format.ts'
import { writeWhole } from '../snapshot/atomic-file.ts'
import { csvHeader, csvRow, readFields } from '../snapshot/csv.ts'
import { checkedPages } from '../snapshot/page.ts'
import { readPublished } from '../snapshot/published.ts'

const formats = ['ndjson', 'csv'] as const

export const pullCommand = defineCommand({
  name: 'pull',
  summary: 'Download the published snapshot of an entity, each page checked',
  takesEntity: true,
  options: {
    output: { type: 'string', short: 'o', value: 'FILE|DIR', summary: 'where to (here, as ENTITY.FORMAT)' },
    format: { type: 'string', value: 'FORMAT', choices: formats, summary: 'ndjson if not given' },
  },
  notes: [
    "Every page's size, SHA-256 and number of documents is held against the manifest. The file appears under its name " +
      'only when it is whole; until then what is there stays.',
    'ndjson: one document a line, each the bytes that the platform sent.',
    'csv: RFC 4180 in UTF-8, a column for each field that any document has, in the order of their first appearance. ' +
      'Numbers keep their digits, objects and lists are JSON, null and a missing field are nothing, an empty text is "". ' +
      'Texts stay as they are: a spreadsheet may take one that begins with = for a formula.',
  ],
  async run({ entity, values, target, terminal, signal }) {
    const { format = 'ndjson' } = values
    const deployment = await findDeployment(target)
    const { latest, manifest } = await readPublished(deployment, entity, target)
    const file = fileFor(values.output, `${entity}.${format}`)
    const read = objectReader(deployment.bucket, signal)
    const bar = terminal.progress(entity)
    const pages = checkedLines(manifest, checkedPages(manifest, read), (done) => {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} is as it was.`)
      bar.show(done, manifest.documents)
    })
    try {
      await (format === 'csv' ? writeCsv(file, pages) : writeNdjson(file, pages))
    } catch (error) {
      if (signal.aborted) throw new Interrupted(`Interrupted. ${file} is as it was.`)
      if (!(error instanceof DamagedPage)) throw error
      throw new CommandError(`${error.message} ${file} is as it was.`, {
        fix: ourCommand(target, `verify ${entity}`),
      })
    } finally {
      bar.end()
    }
    const { runId, publishedAt } = latest
    const text = `${file}: ${documents(manifest.documents)} of run ${runId}, published ${ago(publishedAt, Date.now())}.`
    return {
      ok: true,
      text,
      data: { entity, file, format, runId, publishedAt, documents: manifest.documents },
    }
  },
})

class DamagedPage extends Error {}

/** An existing directory gets a file of the usual name. */
function fileFor(output: string | undefined, usual: string): string {
  const path = resolve(output ?? '.')
  const isDirectory = output?.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isDirectory ? join(path, usual) : path
}

type Checked = ReturnType<typeof checkedPages>

async function* checkedLines(
  { pages, documents: promised }: Manifest,
  checked: Checked,
  progress: (done: number) => void,
): AsyncGenerator<Buffer> {
  let done = 0
  progress(done)
  for await (const page of checked) {
    if ('problem' in page)
      throw new DamagedPage(`The snapshot is damaged: ${page.page.key}: ${page.problem}.`)
    done += page.page.documents
    yield page.lines
    progress(done)
  }
  if (done !== promised) {
    throw new DamagedPage(
      `The snapshot is damaged: its ${pages.length} pages have ${done} documents; the manifest says ${promised}.`,
    )
  }
}

async function writeNdjson(file: string, pages: AsyncIterable<Buffer>): Promise<void> {
  await writeWhole(file, async (out) => {
    for await (const lines of pages) await out.write(lines)
  })
}

/** Twice through: all documents must be seen before the first line can name all columns. */
async function writeCsv(file: string, pages: AsyncIterable<Buffer>): Promise<void> {
  await writeWhole(file, async (out) => {
    const columns = new Set<string>()
    const unread = await out.beside()
    for await (const lines of pages) {
      for (const line of linesOf(lines)) for (const name of Object.keys(readFields(line))) columns.add(name)
      await unread.write(lines)
    }
    const names = [...columns]
    await out.write(csvHeader(names))
    for await (const lines of unread.pieces()) {
      await out.write(
        linesOf(lines)
          .map((line) => csvRow(names, readFields(line)))
          .join(''),
      )
    }
  })
}

/** By line feeds only: a text may hold U+2028, which some readers take for the end of a line. */
function linesOf(lines: Buffer): string[] {
  return lines.length === 0 ? [] : lines.toString().slice(0, -1).split('\n')
}
