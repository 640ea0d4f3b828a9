import * as v from 'valibot'
import { type Plan, planRanges } from '../../functions/partitions/plan.ts'
import type { PartitionSettings } from '../../functions/runtime/settings.ts'
import { partitionsSchema } from '../../functions/runtime/settings-schema/entity.ts'
import { describeIssues } from '../../lib/config/mistakes.ts'
import { settingsOf } from '../../lib/config.ts'
import { createSecretStore } from '../aws/secrets.aws.ts'
import { findDeployment, requireEntity } from '../deployment.ts'
import { type Estimate, estimateTimes, type Pace, paceOfRuns } from '../partitions/estimate.ts'
import { measuredSearch } from '../partitions/measured-search.ts'
import { defineCommand } from '../shell/command.ts'
import { UsageError } from '../shell/errors.ts'
import { formatCount, formatDocuments, formatRoughDuration, formatTable } from '../shell/format.ts'
import { openSyncs } from '../syncs.ts'

/** Runs that are read to find one whose pace is known. */
const maxRuns = 50
const proposed: PartitionSettings = { by: 'createdIn', count: 8 }

export const partitionsCommand = defineCommand({
  name: 'partitions',
  summary: 'Propose ranges for an entity and estimate the time of a sync',
  entity: 'required',
  flags: {
    count: {
      type: 'string',
      value: 'N',
      summary: 'Number of ranges, 2 to 10 (default: as configured, or 8)',
    },
    by: { type: 'string', value: 'FIELD', summary: 'Date field (default: as configured, or createdIn)' },
  },
  description: [
    "Searches the platform for one document at a time with the deployment's credentials, at most 120 times plus " +
      'retries, and reads only the totals. It opens no scroll and changes nothing.',
    'The times are estimates, from the last run that published in one attempt without partitions. If there is none, ' +
      'they assume that a page takes as long as a search; a page usually takes longer.',
    'The exit code is 1 if the entity cannot be scrolled in ranges of the field.',
  ],
  examples: [
    { purpose: 'Propose ranges for CL', command: 'partitions CL' },
    { purpose: 'Propose 4 ranges of another field', command: 'partitions CL --count 4 --by registeredIn' },
  ],
  async run({ entity: name, values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, name)
    const settings = settingsOf(deployment.configuration)
    const entity = settings.entities.find((one) => one.name === name)
    if (!entity) throw new Error(`The settings have no entity ${name}.`)
    const partitions = readPartitions(values, entity.partitions ?? proposed)
    const pace = paceOfRuns(await openSyncs(deployment, terminal).listRuns(name, maxRuns))
    const progress = terminal.progress(`${name} searches`)
    const credentials = createSecretStore().credentials(deployment.secretIds)
    const options = { settings, credentials, progress, signal }
    const { search, requests, meanMs } = measuredSearch(options, entity, partitions.by)
    const plan = await planRanges(partitions, [], search).finally(() => progress.end())
    const data = { entity: name, ...partitions, searches: requests() }
    if (plan.kind === 'whole') {
      const text = `${name} cannot be scrolled in ranges of ${partitions.by}: ${plan.reason}`
      return { ok: false, text, data: { ...data, reason: plan.reason } }
    }
    const assumed = {
      basis: { kind: 'searches' },
      msPerPage: meanMs(),
      documentsPerPage: entity.pageSize,
    } as const
    const proposal = { plan, pace: pace ?? assumed, partitions }
    const estimates = estimateTimes({ total: plan.totalBefore, ranges: plan.totals }, proposal.pace)
    const text = proposalText(name, proposal, estimates)
    const { maxConcurrentScrolls } = settings
    return {
      ok: true,
      text: [...text, ...limitText(maxConcurrentScrolls, estimates)].join('\n'),
      data: {
        ...data,
        documents: plan.totalBefore,
        ranges: rangesOf(plan),
        pace: proposal.pace,
        estimates,
        maxConcurrentScrolls,
      },
    }
  },
})

type RangesPlan = Extract<Plan, { kind: 'ranges' }>

function readPartitions(
  { count, by }: { count: string | undefined; by: string | undefined },
  standard: PartitionSettings,
): PartitionSettings {
  const given = {
    by: by ?? standard.by,
    count: count === undefined ? standard.count : Number(count || 'none'),
  }
  const result = v.safeParse(partitionsSchema, given)
  if (result.success) return result.output
  throw new UsageError(
    describeIssues(result.issues)
      .map((mistake) => `--${mistake}.`)
      .join('\n'),
  )
}

function rangesOf({ filters, totals }: RangesPlan) {
  return filters.map((where, index) => ({ where, documents: totals[index] ?? 0 }))
}

interface Proposal {
  readonly plan: RangesPlan
  readonly pace: Pace
  readonly partitions: PartitionSettings
}

function proposalText(
  entity: string,
  { plan, pace, partitions: { by, count } }: Proposal,
  estimates: readonly Estimate[],
): string[] {
  const ranges = rangesOf(plan)
  const percentOf = (documents: number) => Math.round((documents * 100) / Math.max(1, plan.totalBefore))
  const [sequential] = estimates
  return [
    `${entity} has ${formatDocuments(plan.totalBefore)}, in ${ranges.length} ranges of ${by}:`,
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
  ]
}

function basisText({ basis, msPerPage }: Pace): string {
  const time = `${formatCount(Math.round(msPerPage))} ms`
  return basis.kind === 'run'
    ? `The times follow from run ${basis.runId}, which took ${time} per page.`
    : `No run without partitions has published yet. The times assume ${time} per page, as for a search; a page usually takes longer.`
}

function limitText(maxConcurrentScrolls: number, estimates: readonly Estimate[]): string[] {
  return estimates.some(({ scrolls }) => scrolls > maxConcurrentScrolls)
    ? [`maxConcurrentScrolls limits a sync to ${maxConcurrentScrolls} scrolls.`]
    : []
}
