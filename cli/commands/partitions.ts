import { setTimeout as sleep } from 'node:timers/promises'
import { planRanges } from '../../functions/partitions/plan.ts'
import { settingsOf } from '../../lib/config.ts'
import { createSecretStore } from '../../operator/aws/secrets.aws.ts'
import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { estimateTimes, paceOfRuns } from '../../operator/partitions/estimate.ts'
import { measuredSearch } from '../../operator/partitions/measured-search.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { partitionsProposal, readPartitions, wholeText } from '../partitions/proposal.ts'
import { defineCommand } from '../shell/command.ts'

/** Runs that are read to find one whose pace is known. */
const maxRuns = 50

export const partitionsCommand = defineCommand({
  name: 'partitions',
  summary: 'Propose ranges for an entity and estimate the time of a sync',
  argument: '<ENTITY>',
  options: {
    '--count <N>': 'Number of ranges, 2 to 10 (default: as configured, or 8)',
    '--by <FIELD>': 'Date field (default: as configured, or createdIn)',
  },
  description: [
    "Searches the platform for one document at a time with the deployment's credentials, at most 120 times plus " +
      'retries, and reads only the totals. It opens no scroll and changes nothing.',
    'The times are estimates, from the last run that published in one attempt without partitions. If there is none, ' +
      'they assume that a page takes as long as a search; a page usually takes longer.',
    'The exit code is 1 if the entity cannot be scrolled in ranges of the field.',
  ],
  examples: {
    'partitions CL': 'Propose ranges for CL',
    'partitions CL --count 4 --by registeredIn': 'Propose 4 ranges of another field',
  },
  async run({ entity: name, values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, name)
    const settings = settingsOf(deployment.configuration)
    const entity = settings.entities.find((one) => one.name === name)
    if (!entity) throw new Error(`The settings have no entity ${name}.`)
    const partitions = readPartitions(values, entity.partitions)
    const pace = paceOfRuns(await openSyncs(deployment, terminal).listRuns(name, maxRuns))
    const progress = terminal.progress(`${name} searches`)
    const credentials = createSecretStore().credentials(deployment.secretIds)
    const options = { settings, credentials, progress, signal }
    const { search, requests, meanMs } = measuredSearch(options, entity, partitions.by)
    const plan = await planRanges(partitions, undefined, {
      search,
      now: Date.now,
      sleep: (ms) => sleep(ms, undefined, { signal }),
    }).finally(() => progress.end())
    const data = { entity: name, ...partitions, searches: requests() }
    if (plan.kind === 'whole') {
      const text = wholeText(name, partitions, plan)
      return { ok: false, text, data: { ...data, reason: plan.reason } }
    }
    const assumed = {
      basis: { kind: 'searches' },
      msPerPage: meanMs(),
      documentsPerPage: entity.pageSize,
    } as const
    const { maxConcurrentScrolls } = settings
    const proposal = { plan, pace: pace ?? assumed, partitions, maxConcurrentScrolls }
    const estimates = estimateTimes(
      { total: plan.total, ranges: plan.filters.map(({ documents }) => documents) },
      proposal.pace,
    )
    return {
      ok: true,
      text: partitionsProposal(name, proposal, estimates),
      data: {
        ...data,
        documents: plan.total,
        ranges: plan.filters,
        pace: proposal.pace,
        estimates,
        maxConcurrentScrolls,
      },
    }
  },
})
