import { describe, expect, it } from 'vitest'
import { partitionsProposal, readPartitions, wholeText } from '../../../../cli/partitions/proposal.ts'
import { UsageError } from '../../../../operator/errors.ts'

describe('the flags of partitions', () => {
  const none = { count: undefined, by: undefined }
  it.each([
    [none, undefined, { by: 'createdIn', count: 8 }],
    [none, { by: 'registeredIn', count: 3 }, { by: 'registeredIn', count: 3 }],
    [
      { count: '2', by: undefined },
      { by: 'registeredIn', count: 3 },
      { by: 'registeredIn', count: 2 },
    ],
    [{ count: '10', by: 'registeredIn' }, undefined, { by: 'registeredIn', count: 10 }],
  ])('%j complete the configuration %j', (flags, configured, expected) => {
    expect(readPartitions(flags, configured)).toMatchObject(expected)
  })

  it.each(['1', '11', '', 'x', '2.5'])('refuse --count %j', (count) => {
    expect(() => readPartitions({ ...none, count })).toThrow(UsageError)
    expect(() => readPartitions({ ...none, count })).toThrow(/^--count: .*\.$/)
  })
})

describe('the proposed ranges', () => {
  const plan = {
    kind: 'ranges',
    filters: [
      { where: 'createdIn<1', documents: 900 },
      { where: 'createdIn>=1', documents: 300 },
    ],
    total: 1200,
  } as never
  const pace = { basis: { kind: 'run', runId: 'r' }, msPerPage: 1234.4, documentsPerPage: 100 } as const
  const partitions = { by: 'createdIn', count: 2 }
  const estimates = [
    { scrolls: 1, milliseconds: 120_000 },
    { scrolls: 2, milliseconds: 90_000 },
    { scrolls: 4, milliseconds: 10 },
  ]
  const limit = 'maxConcurrentScrolls limits a sync to 2 scrolls.'

  it('are shown with their shares, the times of a sync, and the line to configure', () => {
    const text = partitionsProposal('CL', { plan, pace, partitions, maxConcurrentScrolls: 2 }, estimates)
    expect(text.split('\n')).toEqual([
      'CL has 1,200 documents, in 2 ranges of createdIn:',
      '',
      'DOCUMENTS  SHARE  RANGE',
      '900        75%    createdIn<1',
      '300        25%    createdIn>=1',
      '',
      'SCROLLS  TIME OF A SYNC  SPEEDUP',
      '1        about 2 min     1.0x',
      '2        about 90 s      1.3x',
      '4        about 1 s       12000.0x',
      '',
      'Times are estimated from run r, which took 1,234 ms per page.',
      "To scroll CL in these ranges, set this in its configuration and deploy: partitions: { by: 'createdIn', count: 2 }",
      limit,
    ])
  })

  it.each([
    [3, true],
    [4, false],
  ])('name maxConcurrentScrolls %j if it limits an estimate: %j', (maxConcurrentScrolls, isLimit) => {
    const text = partitionsProposal('CL', { plan, pace, partitions, maxConcurrentScrolls }, estimates)
    expect(text.includes('maxConcurrentScrolls limits a sync')).toBe(isLimit)
  })

  it('name what the times assume without a run', () => {
    const searches = { ...pace, basis: { kind: 'searches' } } as const
    const proposal = { plan, pace: searches, partitions, maxConcurrentScrolls: 4 }
    expect(partitionsProposal('CL', proposal, estimates)).toContain(
      '\nNo run without partitions has published yet. The times assume 1,234 ms per page, as for a search; a page usually takes longer.\n',
    )
  })

  it('are not divided by zero for an empty entity', () => {
    const empty = { kind: 'ranges', filters: [{ where: 'a', documents: 0 }], total: 0 } as never
    const none = estimates.map(({ scrolls }) => ({ scrolls, milliseconds: 0 }))
    const text = partitionsProposal('CL', { plan: empty, pace, partitions, maxConcurrentScrolls: 4 }, none)
    expect(text).toContain('\n0          0%     a\n')
    expect(text).toMatch(/\n1 +about 1 s +0\.0x\n/)
  })

  it('may be impossible, which has a reason', () => {
    const whole = { kind: 'whole', reason: 'The search failed.' } as never
    expect(wholeText('CL', partitions, whole)).toBe(
      'CL cannot be scrolled in ranges of createdIn: The search failed.',
    )
  })
})
