import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Evidence } from '../../../../functions/publisher/check/evidence.ts'
import type { CommittedEnd } from '../../../../stored/pages/page.ts'
import { pagePartition } from '../../../../stored/pages/page-partition.ts'
import { isSuspect, type Run, rangesOfRun } from '../../../../stored/run/run.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { countedIdentity, documentOfLine } from '../../platform/documents.ts'
import type { ScrollRecord } from '../../platform/platform-model.ts'
import { areFiltersReorganized } from '../../platform/wrong-filters.ts'
import type { Observed } from '../observed.ts'
import { Attempts } from './attempts.ts'
import {
  countEach,
  incompleteness,
  isLossy,
  merged,
  together,
  totalProblem,
  withConfirmedEnd,
  withOverlaps,
} from './completeness.ts'
import { falseStatement } from './manifest-check.ts'
import { coverageProblem, overlapProblem } from './range-check.ts'

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

/** Checks that a snapshot has what its scrolls sent, and that its proof is true. */
export class SnapshotCheck {
  readonly attempts: Attempts
  readonly #observed: Observed
  /** The tolerance of the deployment that proved a run. A later deployment may publish it. */
  readonly #toleranceAtProof = new Map<string, number>()
  /** How often the collection had changed when a run began. */
  readonly #changesAtStart = new Map<string, number | undefined>()
  /** When a run began, in epoch milliseconds. */
  readonly #startedAt = new Map<string, number>()

  constructor(observed: Observed) {
    this.#observed = observed
    this.attempts = new Attempts(observed)
  }

  runWritten({ entity, runId }: Run): void {
    if (this.#changesAtStart.has(runId)) return
    this.#changesAtStart.set(runId, this.#observed.platform?.changes(entity))
    this.#startedAt.set(runId, this.#observed.sim.scheduler.now())
  }

  proven(run: Run): void {
    if (run.kind === 'full') this.#toleranceAtProof.set(run.runId, run.plan.totalTolerancePercent)
  }

  /**
   * The snapshot's documents as indexes into the pool, or undefined if a page differs from the manifest, or if the
   * platform's documents are not those of the pool.
   */
  readDocuments(manifest: Manifest): number[] | undefined {
    const found: number[] = []
    for (const page of manifest.pages) {
      const object = this.#observed.sim.s3.objects.get(page.key)?.body
      if (!object || object.length !== page.bytes || sha256(object) !== page.sha256) {
        this.#observed.violation(
          'pages-whole',
          `${page.key} is ${object ? 'not what the manifest lists' : 'missing'}`,
        )
        return undefined
      }
      const lines = gunzipSync(object).toString('latin1').split('\n')
      if (lines.pop() !== '' || lines.length !== page.documents)
        this.#observed.violation('proof-true', `${page.key} has ${lines.length} lines, not ${page.documents}`)
      if (!this.#observed.platform) continue
      for (const line of lines) {
        const index = documentOfLine(line, this.#observed.sim.scenario.platform.rendering)
        if (index === undefined) {
          this.#observed.violation(
            'snapshot-complete',
            `${page.key} contains what was never sent: ${line.slice(0, 200)}`,
          )
          return undefined
        }
        found.push(index)
      }
    }
    return this.#observed.platform && found
  }

  /** The evidence that a manifest names is stored, and is that of its pages. */
  checkEvidence({ entity, runId, evidence, pages, uniqueIds, withoutId = 0 }: Manifest): void {
    const stored = this.#observed.sim.s3.objects.get(evidence?.key ?? '')?.body
    if (!stored || stored.length !== evidence?.bytes || sha256(stored) !== evidence.sha256) {
      this.#observed.violation('pages-whole', `the evidence of ${runId} is ${stored ? 'another' : 'missing'}`)
      return
    }
    const { checkedAt: _, limits: __, ranges, ...found } = JSON.parse(stored.toString()) as Evidence
    const pagesSha256 = sha256(JSON.stringify(pages))
    const isTrue = isDeepStrictEqual(
      Object.assign({}, found, { entity, runId, pagesSha256, uniqueIds, withoutId }),
      found,
    )
    const inRanges = ranges.reduce((sum, range) => sum + range.uniqueIds, 0)
    if (!isTrue || inRanges < uniqueIds)
      this.#observed.violation('proof-true', `the evidence of ${runId} has ${JSON.stringify(found)}`)
  }

  check(run: Run, manifest: Manifest, found: readonly number[]): void {
    const { entity, runId, attempts, documents, uniqueIds, reportedTotal, proof } = manifest
    const counts = countEach(found)
    const ids = new Set(found.map((index) => countedIdentity(index, manifest.idField))).size
    const name = `${entity} ${runId}`
    if (documents !== found.length || uniqueIds !== ids) {
      this.#observed.violation(
        'proof-true',
        `${name} reports ${documents} documents and ${uniqueIds} ids; they are ${found.length} and ${ids}`,
      )
    }
    const tolerance = this.#toleranceAtProof.get(runId) ?? 0
    const isWithin =
      reportedTotal !== null && Math.abs(ids - reportedTotal) * 100 <= tolerance * reportedTotal
    const proven = {
      exact: reportedTotal === ids,
      'no-total': reportedTotal === null && !isSuspect(run),
      'within-tolerance': isWithin && !isSuspect(run),
    }
    // Each range has a proof of its own.
    if (!manifest.partitions && !proven[proof]) {
      this.#observed.violation(
        'proof-true',
        `${name} claims ${proof} with ${ids} of ${reportedTotal}, suspect ${isSuspect(run)}`,
      )
    }
    if (manifest.partitions) {
      this.#checkPartitions(run, manifest, counts)
      return
    }
    const scrolls = this.attempts
      .scrollsOf(entity, { runId, attempt: attempts })
      .map((scroll) => (this.#mayEndEarly(manifest, { scroll, ids }) ? withConfirmedEnd(scroll) : scroll))
    const problems = scrolls.map(
      (scroll) => incompleteness(counts, scroll, manifest.idField) ?? totalProblem(manifest, scroll),
    )
    const falsehoods = scrolls.map((scroll) => falseStatement(manifest, scroll, this.#observed.maxSkewMs))
    if (scrolls.length > 0 && !falsehoods.includes(undefined))
      this.#observed.violation('proof-true', `${name} ${falsehoods[0]}`)
    this.#checkTolerance(manifest, ids)
    if (!problems.includes(undefined)) {
      this.#observed.violation(
        'snapshot-complete',
        `${name} (${proof}): ${problems[0] ?? 'its pages belong to no scroll'}`,
      )
    }
  }

  /** The snapshot contains what the scrolls of its ranges sent, and the whole entity if that did not change. */
  #checkPartitions(run: Run, manifest: Manifest, counts: ReadonlyMap<number, number>): void {
    const { entity, runId, partitions = [], proof, idField } = manifest
    this.#observed.sim.count('published in ranges')
    const { filters, total, live } = this.#observed.sim.scenario.platform
    const isClear = ['honest', 'ignored'].includes(filters) && total === 'right' && !this.#hasChanged(run)
    const overlap = isClear ? overlapProblem(manifest) : undefined
    if (overlap) this.#observed.violation('coverage-true', `${entity} ${runId} ${overlap}`)
    const ranges = rangesOfRun(run)
    const scrolls = partitions.map(({ where, attempts }) => {
      const range = ranges.findIndex(({ filter }) => filter?.where === where)
      const found = this.attempts.scrollsOf(entity, { runId, range, attempt: attempts })
      const own = found.filter(({ scroll }) => scroll.query.get('_where')?.endsWith(where))
      return own.length === 1 && own[0] ? own[0] : withOverlaps(merged(found))
    })
    const problem = incompleteness(counts, together(scrolls, { counts, idField }), idField)
    // A range's total that is wrong by what was lost hides the loss, within the tolerance of the whole or if as many
    // documents were deleted as were lost.
    const isHidden = scrolls.some(
      ({ reported, documents }) => reported !== undefined && reported !== documents.length,
    )
    if (problem && !(isHidden && (proof === 'within-tolerance' || this.#hasChanged(run))))
      this.#observed.violation('snapshot-complete', `${entity} ${runId} (${proof}, in ranges): ${problem}`)
    if (scrolls.some(isLossy) || live) return
    const missing = coverageProblem(manifest, {
      found: counts,
      states: this.statesDuring(run),
      totals: (this.#observed.platform?.totals ?? []).filter((one) => one.entity === entity),
      tolerancePercent: this.#toleranceAtProof.get(runId) ?? 0,
      maxSkewMs: this.#observed.maxSkewMs,
    })
    if (missing) this.#observed.violation('coverage-true', `${entity} ${runId} ${missing}`)
  }

  /** True if the entity's documents have changed since the run began. */
  #hasChanged({ entity, runId }: Run): boolean {
    return this.#observed.platform?.changes(entity) !== this.#changesAtStart.get(runId)
  }

  /**
   * The states of the entity's collection from the beginning of a run until now; none if filters are wrong and it has
   * changed, since a document that they miss can look like one that was created or deleted during the run, nor if filters
   * begin to miss a document after the run has shown that they find all.
   */
  statesDuring(run: Run): readonly (readonly number[])[] {
    const { scenario, scheduler } = this.#observed.sim
    const { filters } = scenario.platform
    const isReorganized = areFiltersReorganized(filters, this.#startedAt.get(run.runId) ?? 0, scheduler.now())
    if (filters !== 'honest' && (this.#hasChanged(run) || isReorganized)) return []
    return this.#observed.platform?.statesSince(run.entity, this.#changesAtStart.get(run.runId) ?? 0) ?? []
  }

  /** A clean attempt that is short by a page or more needs another clean attempt with the same number. */
  #checkTolerance({ runId, pages, proof, reportedTotal }: Manifest, uniqueIds: number): void {
    const largestPage = Math.max(...pages.map(({ documents }) => documents))
    const isShort = reportedTotal !== null && reportedTotal - uniqueIds >= largestPage
    if (proof !== 'within-tolerance' || !isShort) return
    const earlier = this.attempts.cleanCounts(runId)
    if (!earlier.includes(uniqueIds)) {
      this.#observed.violation(
        'proof-true',
        `${runId} is short by a page, and its clean attempts found ${earlier.join(', ')}`,
      )
    }
  }

  /**
   * Within the tolerance an end counts although the outcome of a request that confirms it is unknown (CONTRACT: the
   * scroll, rule 4): if the next such request confirms it, or else if another clean attempt found as many documents.
   */
  #mayEndEarly(
    { runId, attempts, proof }: Manifest,
    { scroll: { lies }, ids }: { readonly scroll: ScrollRecord; readonly ids: number },
  ): boolean {
    if (proof !== 'within-tolerance' || !lies.has('early-end')) return false
    const partition = pagePartition({ runId, attempt: attempts })
    const items = this.#observed.sim.dynamodb.items<Partial<CommittedEnd>>(partition)
    return items.some(({ isConfirmed }) => isConfirmed === false)
      ? this.attempts.cleanCounts(runId).includes(ids)
      : lies.has('early-end-unanswered')
  }
}
