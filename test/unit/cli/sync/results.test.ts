import { describe, expect, it } from 'vitest'
import { allStartedResult, combinedResult, endedResult, startedResult } from '../../../../cli/sync/results.ts'
import type { RunView } from '../../../../stored/views.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const run = (change: Partial<RunView> = {}) =>
  ({
    runId: 'r',
    entity: 'CL',
    status: 'published',
    startedAt: '2026-11-21T12:00:00.000Z',
    updatedAt: '2026-11-21T12:09:00.000Z',
    endedAt: '2026-11-21T12:03:00.000Z',
    documents: 1200,
    proof: 'exact',
    reason: null,
    partitionsReason: null,
    faults: {},
    ...change,
  }) as RunView

describe('the result of a sync', () => {
  const partitionsReason = 'The search failed.'
  it.each<[name: string, change: Partial<RunView>, ok: boolean, text: string]>([
    ['published', {}, true, 'Published 1,200 documents of CL in 3 min; proof: exact.'],
    ['one document', { documents: 1 }, true, 'Published 1 document of CL in 3 min; proof: exact.'],
    ['without an end', { endedAt: null }, true, 'Published 1,200 documents of CL in 9 min; proof: exact.'],
    [
      'without partitions',
      { partitionsReason },
      true,
      'Published 1,200 documents of CL in 3 min; proof: exact.\nScrolled without partitions: The search failed.',
    ],
    ['failed', { status: 'failed', reason: 'Why.' }, false, 'Run r of CL ended as failed: Why.'],
    [
      'refused',
      { status: 'refused', reason: 'Why.' },
      false,
      'Run r of CL ended as refused: Why.\nTo review it: npx --no-install longshore review r --name Shop',
    ],
    [
      'failed for a known reason',
      { status: 'failed', reason: 'The platform responded with 404.', documents: 0, faults: { 404: 1 } },
      false,
      "Run r of CL ended as failed: The platform responded with 404.\nCheck the name and 'query' of CL in the configuration, and deploy. Then sync it.\n  → npx --no-install longshore sync CL --watch --name Shop",
    ],
    ['cancelled', { status: 'cancelled' }, false, 'Run r of CL ended as cancelled.'],
  ])('of a run that ended (%s) is its text and whether it published', (...[, change, ok, text]) => {
    expect(endedResult(run(change), target)).toEqual({ ok, text, data: run(change) })
  })

  it('of a run that began has the command that watches it', () => {
    expect(startedResult(run(), target)).toEqual({
      ok: true,
      text: 'Started run r of CL. To watch it: npx --no-install longshore sync CL --watch --name Shop',
      data: { entity: 'CL', runId: 'r' },
    })
  })

  it.each([
    [[], true, 'No entity is enabled.'],
    [[true, true], true, 'a\nb'],
    [[true, false], false, 'a\nb'],
    [[false, false], false, 'a\nb'],
  ])('of --all succeeds only if every sync does (%j)', (oks, ok, text) => {
    const results = oks.map((ok, index) => ({ ok, text: 'ab'[index] ?? '', data: index }))
    expect(combinedResult(results)).toEqual({ ok, text, data: { runs: results.map(({ data }) => data) } })
  })
})

it('lists the runs that --all started, and one command that watches them', () => {
  const target = { kind: 'stacks', config: undefined, name: undefined } as const
  const runs = ['CL', 'AD'].map((entity) => ({ entity, runId: `run-of-${entity}`, more: 1 }))
  expect(allStartedResult(runs, target)).toEqual({
    ok: true,
    text: 'Started run run-of-CL of CL.\nStarted run run-of-AD of AD.\nTo watch them: npx --no-install longshore status --watch',
    data: { runs: runs.map(({ entity, runId }) => ({ entity, runId })) },
  })
  expect(allStartedResult([], target).text).toBe('No entity is enabled.')
})
