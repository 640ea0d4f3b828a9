import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import { escapeHidden } from '../../functions/runtime/hidden-characters.ts'
import { pick } from '../../functions/runtime/pick.ts'
import { objectReader, openStores } from '../../operator/aws/objects.aws.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { UsageError } from '../../operator/errors.ts'
import { type Compared, compareSnapshots } from '../../operator/review/compare-snapshots.ts'
import { summaryLines } from '../../operator/review/summary-lines.ts'
import { explainDamage } from '../../operator/snapshot/explain-damage.ts'
import { readOlder } from '../../operator/snapshot/published.ts'
import { requireRun } from '../../operator/sync/run-logs.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { defineCommand } from '../shell/command.ts'
import { formatTable } from '../shell/text-table.ts'

export const compareCommand = defineCommand({
  name: 'compare',
  summary: 'Show what differs between two snapshots, by field and value',
  argument: '<RUN> <RUN>',
  description: [
    'Shows how many documents were created, updated and deleted, what they have in common, and which fields changed, ' +
      'with sums of numbers. The second run is the newer one.',
    'Fields in `changes.ignore` do not count, and a missing document counts as deleted. `longshore console` shows ' +
      'the documents.',
  ],
  examples: {
    'compare 20260301T060000000Z-0123456789ab 20260302T060000000Z-0123456789ab':
      'Show what changed between two days',
  },
  async run({ entity: first, id: second, target, signal, terminal }) {
    const deployment = await findDeployment(target)
    const { configuration, bucket } = deployment
    const syncs = openSyncs(deployment, terminal)
    const [older, newer] = await Promise.all(
      [first, second].map((word) => requireRun(word, { configuration, syncs, target })),
    )
    if (!older || !newer || older.entity !== newer.entity)
      throw new UsageError(
        `The runs are of ${older?.entity} and ${newer?.entity}. Compare runs of one entity.`,
      )
    const { entity } = newer
    const { changes } = requireEntity(configuration, entity)
    const ignored = new Set(changes === false ? [] : changes.ignore)
    const [before, after] = await Promise.all([
      readOlder(deployment, older, target),
      readOlder(deployment, newer, target),
    ])
    const fix = longshoreCommand(target, `verify ${entity} --repair`)
    const { listObjects } = openStores(bucket).snapshots
    const context = { read: objectReader(bucket, signal), listObjects }
    const compared = await compareSnapshots({ before, after, ignored }, context).catch(explainDamage({ fix }))
    const of = (side: Side) => pick(side, 'runId', 'documents', 'openedAt')
    const sides = { entity, before: of(before), after: of(after) }
    const { summary } = compared
    return {
      ok: true,
      text: comparisonText(sides, compared),
      data: { ...sides, ...countsOf(compared), summary },
    }
  },
})

type Side = Pick<Manifest, 'runId' | 'documents' | 'openedAt'>

interface Sides {
  readonly entity: string
  readonly before: Side
  readonly after: Side
}

function countsOf({ differences, unchanged }: Pick<Compared, 'differences' | 'unchanged'>) {
  const count = (kind: Compared['differences'][number]['kind']) =>
    differences.filter((one) => one.kind === kind).length
  return { created: count('created'), updated: count('updated'), deleted: count('deleted'), unchanged }
}

/** Both snapshots, the numbers of documents that differ, and what changed by field and value. */
function comparisonText({ entity, before, after }: Sides, compared: Compared): string {
  const counts = countsOf(compared)
  const lines = summaryLines(compared.summary).map(escapeHidden)
  return [
    `${entity}: ${formatDocuments(before.documents)} as of ${before.openedAt}, then ${formatDocuments(after.documents)} as of ${after.openedAt}.`,
    formatTable([
      Object.keys(counts).map((name) => name.toUpperCase()),
      Object.values(counts).map(formatCount),
    ]),
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ].join('\n\n')
}
