import * as v from 'valibot'
import { configuredEntity, ProblemError } from '../../../functions/http/result.ts'
import { formatCount, formatDocuments, formatMinute } from '../../../functions/runtime/format.ts'
import type { RecordKind } from '../../../operator/changes/known-forms.ts'
import type { Deployment, Target } from '../../../operator/deployment/deployment.ts'
import { silentReporter } from '../../../operator/reporter.ts'
import { openPurge, planPurge, purge } from '../../../operator/retention/purge.ts'
import { purgeText } from '../../../operator/retention/purge-text.ts'
import type { Compared, SnapshotPair } from '../../../operator/review/compare-snapshots.ts'
import { verifiedLines } from '../../../operator/verify/verified-text.ts'
import { verifyEntity } from '../../../operator/verify/verify.ts'
import type { PreviewResponse, ResultResponse } from '../../contract/api.ts'
import { bodyOf } from './body.ts'

/** How long the browser waits. What takes longer is interrupted, and the command does it. */
const maxWaitMs = 10 * 60_000

const verifySchema = v.strictObject({ repair: v.boolean() })
const purgeSchema = v.strictObject({ name: v.string() })

/** What verifies, repairs and deletes stored data, as the commands do. */
export function createMaintenance(deployment: Deployment, target: () => Target) {
  const operation = () => ({
    deployment,
    target: target(),
    reporter: silentReporter,
    signal: AbortSignal.timeout(maxWaitMs),
  })
  return {
    async verify(name: string, body: unknown): Promise<ResultResponse> {
      const { name: entity } = configuredEntity(deployment.configuration.entities, name)
      const verified = await verifyEntity(entity, operation(), bodyOf(verifySchema, body))
      return { lines: verifiedLines(verified, deployment, target()) }
    },

    async previewPurge(entity: string): Promise<PreviewResponse> {
      return {
        text: `This deletes ${purgeText(await planPurge(openPurge(operation()), entity), deployment.now())}.`,
      }
    },

    /** Deletes the data of an entity that is not configured, if a person has entered its name. */
    async purge(entity: string, body: unknown): Promise<ResultResponse> {
      if (bodyOf(purgeSchema, body).name !== entity)
        throw new ProblemError('invalid-request', `Enter ${entity} to delete its data.`)
      const context = openPurge(operation())
      const plan = await planPurge(context, entity)
      await purge(context, plan)
      return { lines: [`Deleted the data of ${entity}: ${purgeText(plan, deployment.now())}.`] }
    },
  }
}

/** What readers see if the snapshot `after` is published again in place of `before`. */
export function republishText({
  before,
  after,
  differences,
}: Pick<SnapshotPair, 'before' | 'after'> & Pick<Compared, 'differences'>): string {
  const count = (kind: RecordKind) => formatCount(differences.filter((one) => one.kind === kind).length)
  return (
    `Readers will see ${formatDocuments(after.documents)} as of ${formatMinute(after.openedAt)} instead of ` +
    `${formatDocuments(before.documents)} as of ${formatMinute(before.openedAt)}: ${count('created')} created, ` +
    `${count('updated')} updated and ${count('deleted')} deleted.`
  )
}
