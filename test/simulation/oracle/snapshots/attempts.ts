import { gunzipSync } from 'node:zlib'
import type { CommittedPage } from '../../../../stored/pages/page.ts'
import { pagePartition } from '../../../../stored/pages/page-partition.ts'
import { highestAttempt, isSuspect, type Run } from '../../../../stored/run/run.ts'
import { countedIdentity, documentOfLine } from '../../platform/documents.ts'
import type { ScrollRecord } from '../../platform/platform-model.ts'
import type { Observed } from '../observed.ts'
import { merged, withOverlaps } from './completeness.ts'

/** Knows what the attempts of runs have read: the scrolls of the platform, and what clean attempts had found. */
export class Attempts {
  readonly #observed: Observed
  /** Unique documents of the attempts that were given up although no request's outcome was unknown. */
  readonly #clean = new Map<string, readonly number[]>()

  constructor(observed: Observed) {
    this.#observed = observed
  }

  /** The unique documents of each clean attempt of a run that was given up. */
  cleanCounts(runId: string): readonly number[] {
    return this.#clean.get(runId) ?? []
  }

  /** Counts the documents of a clean attempt that is given up, by what is stored. */
  givenUp(run: Run): void {
    if (!this.#observed.platform || run.kind !== 'full' || run.split.kind === 'ranges' || isSuspect(run))
      return
    const ids = new Set<number>()
    const { rendering } = this.#observed.sim.scenario.platform
    for (const item of this.#observed.sim.dynamodb.items<Partial<CommittedPage>>(
      pagePartition({ runId: run.runId, attempt: highestAttempt(run) }),
    )) {
      const object = this.#observed.sim.s3.objects.get(item.key ?? '')
      if (!object) continue
      for (const line of gunzipSync(object.body).toString('latin1').split('\n')) {
        const index = documentOfLine(line, rendering)
        if (index !== undefined) ids.add(countedIdentity(index, run.plan.idField))
      }
    }
    this.#clean.set(run.runId, [...this.cleanCounts(run.runId), ids.size])
  }

  /** The scroll that an attempt's tokens belong to; without tokens, every scroll that it could be. */
  scrollsOf(
    entity: string,
    { runId, range, attempt }: { runId: string; range?: number; attempt: number },
  ): ScrollRecord[] {
    const { dynamodb } = this.#observed.sim
    const platform = this.#observed.platform
    if (!platform) return []
    const partition = pagePartition({ runId, attempt, ...(range !== undefined && { range }) })
    const tokens = dynamodb.items<CommittedPage>(partition).flatMap(({ token }) => token ?? [])
    const scrolls = new Set(tokens.map((token) => platform.recordOfToken(token)))
    const known = [...scrolls].filter((scroll) => scroll !== undefined)
    const ofEntity = platform.scrolls.filter((scroll) => scroll.entity === entity)
    // The tokens of a scroll that gave the client a foreign one may not be stored at all.
    const liars = ofEntity.filter(({ lies }) => lies.has('foreign-token'))
    // Any of these scrolls may be the one that the attempt opened, whose total counts.
    const group = liars.length > 0 ? [...new Set([...known, ...liars])] : []
    const mixed = group.map((first) => withOverlaps(merged([first, ...group.filter((one) => one !== first)])))
    if (known.length > 0 && liars.length > 0) return mixed
    if (scrolls.size > 1)
      this.#observed.violation('snapshot-complete', `the attempt ${attempt} of ${runId} mixes two scrolls`)
    return known.length > 0 ? known : [...ofEntity, ...mixed]
  }
}
