import { setTimeout as sleep } from 'node:timers/promises'
import type { Search } from '../../functions/partitions/plan.ts'
import { searchOne, searchRequest } from '../../functions/partitions/search.ts'
import type { EntitySettings, Settings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import { Interrupted } from '../errors.ts'
import type { ProgressDisplay } from '../text/progress.ts'

const requestMs = 30_000

/** Searches that count and time their requests. */
export interface MeasuredSearch {
  readonly search: Search
  readonly requests: () => number
  /** Zero before the first request. */
  readonly meanMs: () => number
}

export interface SearchOptions {
  readonly settings: Settings
  readonly credentials: CredentialsSource
  readonly progress: ProgressDisplay
  readonly signal: AbortSignal
}

/** Searches an entity for one document at a time, with the deployment's credentials. Throws `Interrupted`. */
export function measuredSearch(
  { settings, credentials, progress, signal }: SearchOptions,
  { name, query }: EntitySettings,
  by: string,
): MeasuredSearch {
  const upstream = createUpstream({ settings: settings.upstream, credentials })
  const target = { searchPath: settings.upstream.searchPath, entity: name, query }
  const measured = { requests: 0, milliseconds: 0 }
  const io = {
    now: Date.now,
    random: Math.random,
    redact: (text: string) => upstream.redact(text),
    deadline: Number.POSITIVE_INFINITY,
    sleep: (ms: number) => sleep(ms, undefined, { signal }).catch(interrupt),
    async request(target: string, headers: Readonly<Record<string, string>>) {
      if (signal.aborted) interrupt()
      const startedAt = performance.now()
      try {
        return await upstream.send(searchRequest(target, headers, requestMs))
      } finally {
        measured.requests++
        measured.milliseconds += performance.now() - startedAt
        progress.show(measured.requests, null)
      }
    },
  }
  return {
    search: (request) => searchOne(io, target, { ...request, by }),
    requests: () => measured.requests,
    meanMs: () => measured.milliseconds / Math.max(1, measured.requests),
  }
}

function interrupt(): never {
  throw new Interrupted('Interrupted. Nothing was changed.')
}
