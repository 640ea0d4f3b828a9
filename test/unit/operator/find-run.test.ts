import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ProblemError } from '../../../functions/http/result.ts'
import { resolveConfig } from '../../../lib/config.ts'
import { failureOf } from '../../../operator/errors.ts'
import { requireRun } from '../../../operator/sync/run-logs.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const

it('finds a run by its id in one of 400 entities, and looks in a few of them at a time', async () => {
  const entities = Array.from({ length: 400 }, (_, index) => ({ name: `E${index}`, schedule: 'rate(1 day)' }))
  const upstream = { baseUrl: 'https://api.example.com' }
  const configuration = resolveConfig({ upstream, athena: false, entities })
  let current = 0
  let highest = 0
  const syncs: Pick<Syncs, 'read' | 'readRun'> = {
    read: () => Promise.reject(new Error('No entity has this name.')),
    async readRun(entity, runId) {
      highest = Math.max(highest, ++current)
      await turn()
      current--
      if (entity !== 'E399') throw new ProblemError('not-found', 'This run does not exist.')
      return { entity, runId } as Awaited<ReturnType<Syncs['readRun']>>
    },
  }
  expect(await requireRun('r1', { configuration, syncs, target })).toEqual({ entity: 'E399', runId: 'r1' })
  expect(highest).toBe(24)
})

it.each([
  ['the run in progress', 'CL', { runId: 'r3' }],
  ['the last run', 'AD', { runId: 'r2' }],
  ['a run by its id', 'r1', { runId: 'r1' }],
  [
    'nothing else',
    'XX',
    {
      kind: 'problem',
      message: "'XX' is neither a run of the last 30 days nor an entity with a run.",
      fix: 'npx --no-install longshore status --name Shop',
    },
  ],
  ['no run of an entity that was never synced', 'PR', { kind: 'problem' }],
])('finds %s', async (_, word, expected) => {
  const views: Record<string, object> = {
    CL: { running: { runId: 'r3' }, runs: [{ runId: 'r2' }] },
    AD: { running: null, runs: [{ runId: 'r2' }, { runId: 'r1' }] },
    PR: { running: null, runs: [] },
  }
  const syncs = {
    read: async (entity: string) => views[entity],
    async readRun(_entity: string, runId: string) {
      if (runId !== 'r1') throw new ProblemError('not-found', 'This run does not exist.')
      return { runId }
    },
  }
  const configuration = { entities: Object.keys(views).map((name) => ({ name })) }
  const found = await requireRun(word, { configuration, syncs, target } as never).catch(failureOf)
  expect(found).toMatchObject(expected)
})

it('fails if a run cannot be read', async () => {
  const syncs = { readRun: () => Promise.reject(new Error('Throttled.')) }
  const configuration = { entities: [{ name: 'CL' }] }
  await expect(requireRun('r1', { configuration, syncs, target } as never)).rejects.toThrow('Throttled.')
})
