import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PendingChanges } from '../../../../operator/changes/pending-changes.ts'
import { wholeLines } from '../../../../operator/changes/whole-lines.ts'
import { splitLines } from '../../../../operator/snapshot/lines.ts'
import { readPulledFile, sha256OfFile, writePulledFile } from '../../../../operator/snapshot/pulled-file.ts'
import { writeCsv, writeNdjson } from '../../../../operator/snapshot/write-file.ts'
import { openFiles } from '../../../open-files.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  file = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* pagesOf(...pages: readonly (string | Error)[]) {
  for (const page of pages) {
    if (page instanceof Error) throw page
    yield Buffer.from(page)
  }
}

describe('a snapshot in a file', () => {
  it('has the documents of all pages, in a folder that may not exist yet, and its digest', async () => {
    const nested = join(folder, 'a', 'b')
    const sha256 = await writeNdjson(nested, pagesOf('{"a":1}\n', '', '{"b":2}\n'))
    expect(readFileSync(nested, 'utf8')).toBe('{"a":1}\n{"b":2}\n')
    expect(sha256).toBe(createHash('sha256').update('{"a":1}\n{"b":2}\n').digest('hex'))
    expect(await sha256OfFile(nested)).toBe(sha256)
  })

  it('has a column for each field of any page as CSV', async () => {
    await writeCsv(file, pagesOf('{"a":1}\n{"b":2}\n', '{"c":"é","a":3}\n'), 'csv')
    expect(readFileSync(file, 'utf8')).toBe('a,b,c\r\n1,,\r\n,2,\r\n3,,é\r\n')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.each([
    ['NDJSON', writeNdjson],
    ['CSV', writeCsv],
  ])('stays as it was if its %s cannot be written, and nothing else remains', async (_, write) => {
    writeFileSync(file, 'before')
    await expect(write(file, pagesOf('{"a":1}\n', new Error('broken')), 'csv')).rejects.toThrow('broken')
    expect(readdirSync(folder)).toEqual(['file'])
    expect(openFiles(folder)).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe('before')
  })
})

describe('a file that the system refuses to write', () => {
  const full = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', syscall: 'write' })

  it.each([
    ['on a full disk', () => file, full, 'no space is left', 'free space'],
    [
      'below a file',
      () => join(folder, 'other', 'file'),
      undefined,
      'a part of the path is not a directory',
      'correct the path',
    ],
    ['in place of a device', () => '/dev/null', undefined, 'it is a device or a pipe', 'name a file'],
    ['in place of a directory', () => folder, undefined, 'it is a directory', 'name a file'],
  ])('is named with the reason and what to do: %s', async (...[, path, error, reason, fix]) => {
    writeFileSync(join(folder, 'other'), '')
    await expect(writeNdjson(path(), pagesOf(...(error ? [error] : ['{}\n'])))).rejects.toMatchObject({
      message: `Cannot write ${path()}: ${reason}.`,
      fix: expect.stringContaining(fix),
    })
    expect(readdirSync(folder)).toEqual(['other'])
  })

  it('is named as a whole: the file next to it, and the temporary file of an update', async () => {
    const below = join(folder, 'other', 'file')
    writeFileSync(join(folder, 'other'), '')
    await expect(writePulledFile(below, pulled)).rejects.toThrow(`Cannot write ${below}.longshore.json: `)
    expect(() => new PendingChanges(below)).toThrow(`Cannot write a temporary file in ${below}: `)
  })
})

const pulled = { entity: 'CL', runId: 'r1', documents: 2, uniqueIds: 1, sha256: 'x' }

describe('a pulled file', () => {
  it('is remembered in a file next to it', async () => {
    await writePulledFile(file, pulled)
    expect(readdirSync(folder)).toEqual(['file.longshore.json'])
    expect(await readPulledFile(file)).toEqual({ version: 1, ...pulled })
  })

  it.each([
    ['is missing', undefined],
    ['is not JSON', '{'],
    ['is of another version', JSON.stringify({ version: 2, ...pulled })],
    ['lacks a member', JSON.stringify({ version: 1, entity: 'CL' })],
  ])('is unknown if that file %s', async (_, text) => {
    if (text !== undefined) writeFileSync(`${file}.longshore.json`, text)
    expect(await readPulledFile(file)).toBeUndefined()
  })
})

describe('lines', () => {
  it.each([
    ['a\nb', ['a', 'b']],
    ['\na\n', ['', 'a']],
    ['{"a":"\u2028"}\n', ['{"a":"\u2028"}']],
    ['', []],
  ])('of %j end only at a line feed or the end', (text, lines) => {
    expect([...splitLines(Buffer.from(text))].map(String)).toEqual(lines)
  })

  it.each([
    ['longer than a chunk', [9, 1], '', 1],
    ['without a line feed at the end', [3, 3], 'end', 3],
  ])('of a file that are %s are read whole', async (...[, megabytes, end, chunkCount]) => {
    const text = Buffer.from(megabytes.map((size) => `${'x'.repeat(size * 1_000_000)}\n`).join('') + end)
    writeFileSync(file, text)
    const chunks: Buffer[] = []
    for await (const chunk of wholeLines(file)) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(text)).toBe(true)
    const endings = chunks.map((chunk) => chunk.subarray(-1).toString())
    expect(endings).toEqual([...Array(chunks.length - 1).fill('\n'), end.slice(-1) || '\n'])
    expect(chunks).toHaveLength(chunkCount)
  })
})
