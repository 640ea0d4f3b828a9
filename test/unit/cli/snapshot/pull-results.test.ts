import { describe, expect, it } from 'vitest'
import type { PullFlags } from '../../../../cli/snapshot/pull-results.ts'
import { downloadResult, pullMode, updateResult } from '../../../../cli/snapshot/pull-results.ts'
import { failureOf } from '../../../../operator/errors.ts'

const flags: PullFlags = { format: 'ndjson', run: undefined, update: false, force: false }

function modeOf(change: Partial<PullFlags>, exists: boolean) {
  try {
    return pullMode(
      { ...flags, ...change },
      { file: 'CL.ndjson', exists },
      (flag) => `longshore pull CL ${flag}`,
    )
  } catch (error) {
    return failureOf(error)
  }
}

const invalid = { kind: 'usage', message: '--update cannot be combined with --format, --run or --force.' }
const exists = {
  kind: 'problem',
  message: 'CL.ndjson exists.',
  fix: 'update it (longshore pull CL --update) or replace it (longshore pull CL --force)',
}
const onlyReplaced = { ...exists, fix: 'replace it (longshore pull CL --force)' }

describe('pull', () => {
  it.each<[change: Partial<PullFlags>, ifNew: unknown, ifExisting: unknown]>([
    [{}, 'download', exists],
    [{ format: 'csv' }, 'download', onlyReplaced],
    [{ run: 'r' }, 'download', onlyReplaced],
    [{ force: true }, 'download', 'download'],
    [{ update: true }, 'download', 'update'],
    [{ update: true, format: 'csv' }, invalid, invalid],
    [{ update: true, run: 'r' }, invalid, invalid],
    [{ update: true, force: true }, invalid, invalid],
  ])('with %j replaces a file only with --force', (change, ifNew, ifExisting) => {
    expect([modeOf(change, false), modeOf(change, true)]).toEqual([ifNew, ifExisting])
  })

  it('names the file, the run and the age of a download', () => {
    const finishedAt = '2026-11-21T12:00:00.000Z'
    const downloaded = {
      entity: 'CL',
      file: 'f',
      format: 'csv',
      runId: 'r',
      finishedAt,
      documents: 95,
    } as const
    expect(downloadResult(downloaded, Date.parse('2026-11-21T14:00:00Z'))).toEqual({
      ok: true,
      text: 'Wrote 95 documents to f: run r, scrolled 2 h ago.',
      data: downloaded,
    })
  })

  const nothing = { created: 0, updated: 0, deleted: 0, delivered: 0 }
  const counted = { documentsBefore: 95, added: { delivered: 0, withheld: 0 } }
  const updateText = (updated: Parameters<typeof updateResult>[1]) =>
    updateResult({ entity: 'CL', file: 'f' }, updated, (args) => `longshore ${args}`)

  const refused = {
    kind: 'refused',
    runId: 'c',
    tip: 'b',
    since: '2026-11-21T12:00:00.000Z',
    deleted: 42,
    baseDocuments: 95,
  } as const
  it.each([
    [false, /^f stays at run b\.\nThe change set of run c was refused: .*\n {2}→ longshore review c$/],
    [true, /^Updated f to run b: .*\nThe change set of run c was refused: .*\n {2}→ longshore review c$/],
  ])('an update is no success while a change set is refused (changed: %j)', (isChanged, text) => {
    const range = { since: 'a', tip: 'b', sets: [] }
    const result = updateText({
      range,
      ...counted,
      totals: nothing,
      documents: 95,
      isVerified: isChanged,
      isChanged,
      chain: refused,
    })
    expect(result).toMatchObject({ ok: false, data: { runId: 'b', stopped: refused } })
    expect(result.text).toMatch(text)
  })

  it('an update before the comparison has nothing to apply yet', () => {
    const range = { since: 'b', tip: 'b', sets: [] }
    const file = { ...counted, range, totals: nothing, documents: 95, isVerified: false, isChanged: false }
    expect(updateText({ ...file, chain: { kind: 'pending' } })).toMatchObject({
      ok: true,
      text: 'f is at run b. No change set leads on from the published snapshot yet: update the file again later.',
    })
  })

  const set = { kind: 'changes', runId: 'b', base: 'a', created: 1, updated: 20, deleted: 300 } as never
  it.each([
    [
      true,
      [set, set],
      'Updated f to run b: 2 created, 40 updated, 600 deleted, 3 withheld added. It has 95 documents, verified against the change set.',
    ],
    [false, [], 'f is up to date: run b.'],
  ])('names what an update changed (%j)', (isChanged, sets, text) => {
    const range = { since: 'a', tip: 'b', sets }
    const totals = isChanged ? { created: 2, updated: 40, deleted: 600, delivered: 0 } : nothing
    const added = { delivered: 0, withheld: isChanged ? 3 : 0 }
    const file = { ...counted, range, totals, documents: 95, added, isVerified: isChanged, isChanged }
    expect(updateText({ ...file, chain: { kind: 'current' } })).toEqual({
      ok: true,
      text,
      data: {
        entity: 'CL',
        file: 'f',
        runId: 'b',
        since: 'a',
        sets: sets.length,
        deliveredNew: 0,
        withheld: added.withheld,
        documentsBefore: 95,
        documents: 95,
        verified: isChanged,
        stopped: null,
        downloadedAgain: null,
        ...totals,
      },
    })
  })

  it('an update of a file that differed from the change sets says so', () => {
    const range = { since: 'b', tip: 'b', sets: [] }
    const downloadedAgain = 'The updated f would have other versions of documents than the change set.'
    const file = {
      ...counted,
      range,
      totals: nothing,
      documents: 95,
      isVerified: true,
      isChanged: true,
      downloadedAgain,
    }
    const result = updateText({ ...file, chain: { kind: 'current' } })
    expect(result).toMatchObject({ ok: true, data: { downloadedAgain } })
    expect(result.text).toMatch(
      /^The updated f .* change set\. The snapshot was downloaded again\.\nUpdated f/,
    )
  })

  it('an update by increments is verified by the next full sync', () => {
    const range = { since: 'a', tip: 'b', sets: [{ kind: 'increment', runId: 'b', base: 'a', records: 3 }] }
    const totals = { ...nothing, delivered: 3 }
    const added = { delivered: 2, withheld: 0 }
    const file = {
      ...counted,
      range,
      totals,
      documents: 95,
      added,
      isVerified: false,
      isChanged: true,
    } as never
    expect(updateText(Object.assign(file, { chain: { kind: 'current' } }))).toMatchObject({
      ok: true,
      text: 'Updated f to run b: 0 created, 0 updated, 0 deleted, 3 delivered by increments, 2 of them new. It has 95 documents. Increments do not prove a count: the update after the next full sync verifies it.',
      data: { delivered: 3, deliveredNew: 2, verified: false },
    })
  })
})
