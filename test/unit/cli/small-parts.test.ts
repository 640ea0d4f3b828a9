import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { refuseUnlessAccepted, secretFor } from '../../../cli/commands/credentials.ts'
import { type CredentialCheck, outcomeOf } from '../../../cli/doctor/credential-check.ts'
import { changedParts } from '../../../cli/doctor/drift.ts'
import { columns, span } from '../../../cli/shell/format.ts'
import { parseKeys } from '../../../cli/shell/prompt-credentials.ts'
import { checkPage } from '../../../cli/snapshot/page.ts'
import { verification } from '../../../cli/snapshot/verification.ts'

describe('keys from standard input', () => {
  const keys = { appKey: 'k-3y', appToken: 't0-ken' }

  it.each([
    '{"appKey":"k-3y","appToken":"t0-ken"}',
    ' {"appKey": " k-3y", "appToken": "t0-ken\\n", "more": 1}\n',
    'k-3y\nt0-ken\n',
    'k-3y\r\nt0-ken',
  ])('%j', (input) => {
    expect(parseKeys(input)).toEqual(keys)
  })

  it.each(['', 'only-one', 'k-3y\nt0-ken\nmore', '{"appKey":"k-3y"}', '{"appKey', 'k 3y\nt0-ken'])(
    '%j is refused, and not repeated',
    (input) => {
      expect(() => parseKeys(input)).toThrow(/standard input/)
      expect(() => parseKeys(input)).not.toThrow(/k.3y|t0-ken/)
    },
  )
})

describe('what the platform makes of keys', () => {
  it.each([
    [200, 'accepted'],
    [206, 'accepted'],
    [404, 'accepted'],
    [401, 'rejected'],
    [403, 'rejected'],
    [302, 'unclear'],
    [429, 'unclear'],
    [500, 'unclear'],
  ])('%i: %s', (status, outcome) => {
    expect(outcomeOf(status)).toBe(outcome)
  })

  const trial = (area: CredentialCheck['area'], outcome: CredentialCheck['outcome']): CredentialCheck => ({
    area,
    outcome,
    detail: 'd',
  })

  it('one area that rejects them, or where nobody can tell, keeps the old ones', () => {
    const accepted = trial('documents', 'accepted')
    expect(() => refuseUnlessAccepted([accepted, trial('subscriptions', 'untried')])).not.toThrow()
    expect(() => refuseUnlessAccepted([])).not.toThrow()
    const rejects = () => refuseUnlessAccepted([accepted, trial('logistics', 'rejected')])
    expect(rejects).toThrow(/rejects these keys \(logistics: d\)/)
    expect(rejects).toThrow(expect.objectContaining({ fix: expect.stringContaining('--area documents') }))
    expect(() => refuseUnlessAccepted([accepted, trial('logistics', 'unclear')])).toThrow(/Nobody can tell/)
  })

  it('several secrets need an area, one does not', () => {
    const one = { logistics: 's', subscriptions: 's', documents: 's' }
    expect(secretFor({ secretIds: one }, undefined)).toBe('s')
    expect(secretFor({ secretIds: { ...one, documents: 'd' } }, 'documents')).toBe('d')
    expect(() => secretFor({ secretIds: { ...one, documents: 'd' } }, undefined)).toThrow(/--area/)
  })
})

describe('a page', () => {
  const object = gzipSync('{"id":1}\n{"id":"\u2028"}\n')
  const page = {
    key: 'p',
    documents: 2,
    bytes: object.length,
    sha256: createHash('sha256').update(object).digest('hex'),
  }
  const other = Buffer.from(object)
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1
  const plain = Buffer.from('{}\n')
  const hashOf = (bytes: Buffer) => ({
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })

  it('that is right gives its documents', async () => {
    expect(await checkPage(page, object)).toMatchObject({ lines: Buffer.from('{"id":1}\n{"id":"\u2028"}\n') })
  })

  it.each([
    ['is gone', page, undefined, 'not in the bucket'],
    ['is cut off', page, object.subarray(1), 'bytes'],
    ['has one other bit', page, other, 'SHA-256'],
    ['is not compressed', { ...page, ...hashOf(plain) }, plain, 'not gzip'],
    ['has other documents', { ...page, documents: 3 }, object, '2 documents; the manifest says 3'],
  ])('that %s is found', async (...[, line, bytes, problem]) => {
    expect(await checkPage(line, bytes)).toMatchObject({ problem: expect.stringContaining(problem) })
  })

  it('counts different ids over all pages, as the worker does', () => {
    const verifying = verification('id')
    for (const lines of ['{"id":1}\n{"id":2}\n', '{"id":2}\n{"none":1}\n', '']) {
      verifying.add({ page, lines: Buffer.from(lines) })
    }
    const published = { latest: { manifest: 'm' }, manifest: { uniqueIds: 4 } }
    expect(verifying.end(published as never)).toMatchObject({
      uniqueIds: 3,
      mismatches: [
        { where: 'm', problem: expect.stringContaining('4 different ids; by the field id there are 3') },
      ],
    })
  })

  it('with a line that is no document is found', () => {
    const verifying = verification('id')
    verifying.add({ page, lines: Buffer.from('{"id":1}\n{"id":\n') })
    expect(verifying.end({ manifest: { uniqueIds: 0 } } as never).mismatches).toHaveLength(1)
  })
})

it('templates differ by what a deployment would change', () => {
  const template = (code: string, more = {}) =>
    JSON.stringify({ Resources: { Worker: { Code: code }, Table: { Type: 'T' } }, ...more })
  expect(changedParts(template('a'), template('a'))).toEqual([])
  expect(changedParts(template('a'), template('b'))).toEqual(['Worker'])
  expect(changedParts(template('a'), template('a', { Outputs: { ApiUrl: {} } }))).toEqual(['ApiUrl'])
})

it('tables and spans read well', () => {
  expect(
    columns([
      ['a', 'b'],
      ['longer', 'x'],
    ]),
  ).toBe('a       b\nlonger  x')
  expect([5_000, 125_000, 7_200_000, 200_000_000].map(span)).toEqual(['5 s', '2 min', '2 h', '2 d'])
})
