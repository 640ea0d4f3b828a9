import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ProblemError } from '../../../functions/http/problem.ts'
import { resolveConfig } from '../../../lib/config.ts'
import { findRun } from '../../../operator/logs/run.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'

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
  expect(await findRun('run-1', configuration, syncs)).toEqual({ entity: 'E399', runId: 'run-1' })
  expect(highest).toBe(24)
})
