import * as v from 'valibot'
import type { Plan } from '../../functions/partitions/plan.ts'
import { formatCount, formatDocuments, formatRoughDuration } from '../../functions/runtime/format.ts'
import type { PartitionSettings } from '../../functions/runtime/settings.ts'
import { partitionsSchema } from '../../functions/runtime/settings-schema/entity.ts'
import { describeIssues } from '../../lib/config/configuration-errors.ts'
import { UsageError } from '../../operator/errors.ts'
import type { Estimate, Pace } from '../../operator/partitions/estimate.ts'
import { formatTable } from '../shell/text-table.ts'

type RangesPlan = Extract<Plan, { kind: 'ranges' }>
type WholePlan = Extract<Plan, { kind: 'whole' }>

const standard: PartitionSettings = { by: 'createdIn', count: 8 }

/** The flags, completed by the configuration or else the standard. Throws `UsageError`. */
export function readPartitions(
  { count, by }: { readonly count: string | undefined; readonly by: string | undefined },
  configured: PartitionSettings = standard,
): PartitionSettings {
  const given = {
    by: by ?? configured.by,
    count: count === undefined ? configured.count : Number(count || 'none'),
  }
  const result = v.safeParse(partitionsSchema, given)
  if (result.success) return result.output
  throw new UsageError(
    describeIssues(result.issues)
      .map((error) => `--${error}.`)
      .join('\n'),
  )
}

interface Proposal {
  readonly plan: RangesPlan
  readonly pace: Pace
  readonly partitions: PartitionSettings
  readonly maxConcurrentScrolls: number
}

/** Why an entity cannot be scrolled in ranges. */
export function wholeText(entity: string, { by }: PartitionSettings, { reason }: WholePlan): string {
  return `${entity} cannot be scrolled in ranges of ${by}: ${reason}`
}

export function partitionsProposal(
  entity: string,
  { plan, pace, partitions: { by, count }, maxConcurrentScrolls }: Proposal,
  estimates: readonly Estimate[],
): string {
  const ranges = plan.filters
  const percentOf = (documents: number) => Math.round((documents * 100) / Math.max(1, plan.total))
  const [sequential] = estimates
  return [
    `${entity} has ${formatDocuments(plan.total)}, in ${ranges.length} ranges of ${by}:`,
    '',
    formatTable([
      ['DOCUMENTS', 'SHARE', 'RANGE'],
      ...ranges.map(({ where, documents }) => [formatCount(documents), `${percentOf(documents)}%`, where]),
    ]),
    '',
    formatTable([
      ['SCROLLS', 'TIME OF A SYNC', 'SPEEDUP'],
      ...estimates.map(({ scrolls, milliseconds }) => [
        String(scrolls),
        `about ${formatRoughDuration(Math.max(1000, milliseconds))}`,
        `${((sequential?.milliseconds ?? 0) / Math.max(1, milliseconds)).toFixed(1)}x`,
      ]),
    ]),
    '',
    basisText(pace),
    `To scroll ${entity} in these ranges, set this in its configuration and deploy: partitions: { by: '${by}', count: ${count} }`,
    ...limitText(maxConcurrentScrolls, estimates),
  ].join('\n')
}

function basisText({ basis, msPerPage }: Pace): string {
  const time = `${formatCount(Math.round(msPerPage))} ms`
  return basis.kind === 'run'
    ? `Times are estimated from run ${basis.runId}, which took ${time} per page.`
    : `No run without partitions has published yet. The times assume ${time} per page, as for a search; a page usually takes longer.`
}

function limitText(maxConcurrentScrolls: number, estimates: readonly Estimate[]): string[] {
  return estimates.some(({ scrolls }) => scrolls > maxConcurrentScrolls)
    ? [`maxConcurrentScrolls limits a sync to ${maxConcurrentScrolls} scrolls.`]
    : []
}
