import { describe, expect, it } from 'vitest'
import { followSets, readTip } from '../../../../operator/changes/follow.ts'
import { failureOf } from '../../../../operator/errors.ts'
import type { ChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import { noPause } from '../../../pauses.ts'
import { localSource } from './local-source.ts'

const source = localSource('b')

const set = (runId: string, base: string) => ({ runId, base, kind: 'changes' })
const chain = (...runs: string[]) => ({
  value: { tip: runs.at(-1), sets: runs.slice(1).map((runId, index) => set(runId, runs[index] ?? '')) },
})
const noChain = {
  kind: 'problem',
  message: 'CL has no change sets.',
  fix: "check that 'changes' is not false in the configuration, then run npx --no-install longshore --local sync CL --watch",
}

/** The runs that are reported until `stopAfter` of them, and the failure that ends it, for the chains poll by poll. */
async function follow(chains: readonly (object | undefined)[], { since = 'r1', stopAfter = 99 } = {}) {
  const stop = new AbortController()
  let polls = 0
  const store = {
    readLatest: async () => chains[polls++],
    readManifest: async (_: string, runId: string) => ({ value: { runId, entity: 'CL', kind: 'changes' } }),
  } as unknown as ChangeSetStore
  const runs: string[] = []
  const options = { since, pause: noPause, signal: stop.signal, next: 'then follow again' }
  try {
    for await (const { runId } of followSets(store, source, options)) {
      runs.push(runId)
      if (runs.length === stopAfter) stop.abort()
    }
  } catch (error) {
    return { runs, polls, failure: failureOf(error) }
  }
  return { runs, polls }
}

describe('the change sets after a run', () => {
  it('are reported once each, when they are published', async () => {
    const chains = [chain('r1'), chain('r1', 'r2', 'r3'), chain('r1', 'r2', 'r3'), chain('r2', 'r3', 'r4')]
    expect(await follow(chains, { stopAfter: 3 })).toEqual({ runs: ['r2', 'r3', 'r4'], polls: 4 })
  })

  it('are not reported after an interrupt', async () => {
    expect(await follow([chain('r1', 'r2', 'r3')], { stopAfter: 1 })).toEqual({ runs: ['r2'], polls: 1 })
  })

  it('end if they do not lead on from the run, with the way to begin again', async () => {
    expect(await follow([chain('r2', 'r3')])).toEqual({
      runs: [],
      polls: 1,
      failure: {
        kind: 'problem',
        message:
          'No change sets of CL start from run r1: they expired, the chain was reset, or the run has none.',
        fix: 'download the snapshot again (npx --no-install longshore --local pull CL --force), then follow again',
      },
    })
  })

  it('do not exist without a chain', async () => expect((await follow([undefined])).failure).toEqual(noChain))
})

it('begins at the run that the change sets lead to', async () => {
  const tip = (stored?: object) =>
    readTip({ readLatest: async () => stored } as unknown as ChangeSetStore, source).catch(failureOf)
  expect([await tip(chain('r1', 'r2')), await tip()]).toEqual(['r2', noChain])
})
