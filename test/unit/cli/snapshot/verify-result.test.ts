import { expect, it } from 'vitest'
import { verifyResult } from '../../../../cli/snapshot/verify-result.ts'

const verified = { entity: 'CL', runId: 'r', documents: 1200, uniqueIds: 1, pages: 2, mismatches: [] }
const target = { kind: 'stacks', config: 'shop.config.ts', name: undefined } as const

it('gives the counts of an intact snapshot', () => {
  expect(verifyResult(verified, target)).toEqual({
    ok: true,
    text: 'Run r of CL matches its manifest: 2 pages, 1,200 documents, 1 unique id.',
    data: verified,
  })
})

it('lists every mismatch and how to publish a new snapshot, and fails', () => {
  const mismatches = [
    { key: 'a', problem: 'not found in the bucket' },
    { key: 'b', problem: 'not gzip' },
  ]
  expect(verifyResult({ ...verified, mismatches }, target)).toEqual({
    ok: false,
    text: [
      'Run r of CL does not match its manifest:',
      '  a: not found in the bucket',
      '  b: not gzip',
      '  → npx --no-install longshore sync CL --watch --config shop.config.ts',
    ].join('\n'),
    data: { ...verified, mismatches },
  })
})
