import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Evidence } from '../../../../functions/publisher/check/evidence.ts'
import { readEvidence } from '../../../../operator/snapshot/evidence.ts'
import { evidenceKey, type Manifest } from '../../../../stored/snapshots/manifest.ts'
import { UnknownVersion } from '../../../../stored/unknown-version.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const pages = [{ key: 'p', documents: 1, bytes: 1, sha256: 'a' }]
const key = evidenceKey('CL', 'r')

function read(change: Partial<Record<keyof Evidence, unknown>> = {}, manifest: Partial<Manifest> = {}) {
  const evidence = { version: 1, entity: 'CL', runId: 'r', pagesSha256: sha256(JSON.stringify(pages)) }
  const text = JSON.stringify({ ...evidence, ...change })
  const named = { key, bytes: text.length, sha256: sha256(text) }
  const stored = { entity: 'CL', runId: 'r', pages, evidence: named, ...manifest } as Manifest
  return readEvidence(stored, async (asked) => (asked === key ? Buffer.from(text) : undefined))
}

it('evidence is read if its hash and that of the pages are right', async () => {
  expect(await read()).toMatchObject({ kind: 'intact', evidence: { entity: 'CL', runId: 'r' } })
  expect(await read({}, { evidence: undefined } as object)).toEqual({ kind: 'none' })
})

const named = (change: object) => ({ evidence: { key, bytes: 1, sha256: 'b', ...change } })

it.each<[string, Parameters<typeof read>, object]>([
  ['gone', [{}, named({ key: 'other' })], { key: 'other', problem: 'not found in the bucket' }],
  [
    'other bytes',
    [{}, named({})],
    { key, problem: expect.stringMatching(/^its SHA-256 is \w{64}; the manifest has b$/) as string },
  ],
  ['of another run', [{ runId: 's' }], { key, problem: 'it belongs to run s of CL' }],
  ['of another entity', [{ entity: 'AD' }], { key, problem: 'it belongs to run r of AD' }],
  [
    'of other pages',
    [{}, { pages: [] }],
    {
      key: 'snapshots/CL/r/manifest.json',
      problem: `the SHA-256 of its pages is ${sha256('[]')}; the evidence has ${sha256(JSON.stringify(pages))}`,
    },
  ],
])('evidence that is %s is damaged', async (_, args, damage) => {
  expect(await read(...args)).toEqual({ kind: 'damaged', ...damage })
})

it('evidence of a newer release is not read', async () => {
  await expect(read({ version: 2 })).rejects.toBeInstanceOf(UnknownVersion)
})
