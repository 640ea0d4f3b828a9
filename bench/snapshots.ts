import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CheckedPage } from '../functions/publisher/check/entries.ts'
import { checkKey, encodeCheckedPages, listedName } from '../functions/publisher/check/entries.ts'
import { readLines } from '../functions/publisher/check/stored-lines.ts'
import { splitPageInPlace } from '../stored/documents/split.ts'
import type { Latest, Manifest } from '../stored/snapshots/manifest.ts'
import { latestKey, manifestKey, runPrefix } from '../stored/snapshots/manifest.ts'
import { entity } from './names.ts'
import { makePages } from './servers/pages.ts'

export const baseRun = '20261101T000000000Z-000000000000'
export const targetRun = '20261102T000000000Z-000000000000'

const pageSize = 1000
const pagesOfChunk = 100
/** Positions in each page of the base. With one new document per page, 1% of the documents are different. */
const deleted = 1
const updated = [100, 200, 300, 400, 500, 600, 700, 800]

/** As the S3 server of a folder has it. A listing reads no files. */
export function etagOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path)
  return `"${ino}-${mtimeMs}-${size}"`
}

/** Writes two snapshots as a bucket and the publisher have them, unless they exist. Returns the folder. */
export async function writeSnapshots(documents: number, bytes: number): Promise<string> {
  const folder = cacheFolder(`${documents}x${bytes}-counted`)
  if (existsSync(join(folder, manifestKey(entity, targetRun)))) return folder
  const base = new SnapshotWriter(folder, baseRun)
  const target = new SnapshotWriter(folder, targetRun)
  // The second half of the pages provides the new documents.
  const pages = makePages({ documents: documents * 2, bytes, pageSize })
  const pageCount = documents / pageSize
  for (let page = 0; page < pageCount; page++) {
    const lines = linesOf(pages.page(page))
    const [created = Buffer.alloc(0)] = linesOf(pages.page(page + pageCount))
    await Promise.all([base.add(lines), target.add([...changedLines(lines), created])])
  }
  base.finish()
  target.finish()
  return folder
}

/**
 * Writes a snapshot whose documents have nothing in common but their form, to a folder like `writeSnapshots`. Those of the
 * others repeat after a page.
 */
export async function writeDistinctSnapshot(documents: number, bytes: number): Promise<string> {
  const folder = cacheFolder(`${documents}x${bytes}-distinct`)
  if (existsSync(join(folder, manifestKey(entity, baseRun)))) return folder
  const base = new SnapshotWriter(folder, baseRun)
  for (let page = 0; page < documents / pageSize; page++) {
    const pages = makePages({ documents: pageSize, bytes, pageSize, seed: page })
    await base.add(linesOf(pages.pageFrom(page * pageSize, pageSize)))
  }
  base.finish()
  return folder
}

const cacheFolder = (name: string) =>
  fileURLToPath(new URL(`../node_modules/.cache/bench/${name}`, import.meta.url))

/** Makes one of the snapshots the published one. */
export function publishSnapshot(folder: string, runId: string): void {
  const manifest = manifestKey(entity, runId)
  const { documents } = JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as Manifest
  const latest: Latest = { runId, manifest, publishedAt: '2026-11-02T00:00:00.000Z', documents }
  writeFileSync(join(folder, latestKey(entity)), JSON.stringify(latest))
}

function linesOf(page: Buffer): Buffer[] {
  const { lines } = splitPageInPlace(page, 'id')
  const documents: Buffer[] = []
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\n', at) + 1
    documents.push(lines.subarray(at, end))
    at = end
  }
  return documents
}

function changedLines(lines: readonly Buffer[]): Buffer[] {
  return lines
    .map((line, index) => (updated.includes(index) ? withOtherPhone(line) : line))
    .filter((_, index) => index !== deleted)
}

function withOtherPhone(line: Buffer): Buffer {
  const changed = Buffer.from(line)
  changed.write('+56', changed.indexOf('+55'), 'latin1')
  return changed
}

const compress = promisify<Buffer, object, Buffer>(gzip)

class SnapshotWriter {
  readonly #folder: string
  readonly #runId: string
  readonly #pages: CheckedPage['page'][] = []
  #checked: CheckedPage[] = []
  #entries: Buffer[] = []

  constructor(folder: string, runId: string) {
    this.#folder = folder
    this.#runId = runId
    mkdirSync(join(folder, runPrefix(entity, runId)), { recursive: true })
  }

  async add(lines: readonly Buffer[]): Promise<void> {
    const number = String(this.#pages.length + 1).padStart(6, '0')
    const key = `${runPrefix(entity, this.#runId)}p${number}.ndjson.gz`
    const body = await compress(Buffer.concat(lines), { level: 1 })
    const path = join(this.#folder, key)
    writeFileSync(path, body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const page = { key, documents: lines.length, bytes: body.length, sha256 }
    this.#pages.push(page)
    this.#checked.push({ page, etag: etagOf(path), withoutId: 0 })
    this.#entries.push(readLines(body, 'id').entries)
    if (this.#checked.length === pagesOfChunk) this.#writeChecked()
  }

  #writeChecked(): void {
    const [pages, entries] = [this.#checked, Buffer.concat(this.#entries)]
    if (pages.length === 0) return
    const first = this.#pages.length - pages.length + 1
    const key = checkKey(runPrefix(entity, this.#runId), listedName, first)
    writeFileSync(join(this.#folder, key), encodeCheckedPages({ pages, entries }))
    this.#checked = []
    this.#entries = []
  }

  finish(): void {
    this.#writeChecked()
    const documents = this.#pages.reduce((sum, page) => sum + page.documents, 0)
    const manifest: Partial<Manifest> = {
      version: 1,
      entity,
      runId: this.#runId,
      query: {},
      idField: 'id',
      pageSize,
      documents,
      uniqueIds: documents,
      reportedTotal: documents,
      proof: 'exact',
      pages: this.#pages,
    }
    writeFileSync(join(this.#folder, manifestKey(entity, this.#runId)), JSON.stringify(manifest))
  }
}
