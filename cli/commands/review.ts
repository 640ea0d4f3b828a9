import { objectReader } from '../../operator/aws/objects.aws.ts'
import { findDeployment, longshoreCommand, syncFix } from '../../operator/deployment/deployment.ts'
import { reviewRefusal } from '../../operator/review/review.ts'
import { explainDamage } from '../../operator/snapshot/explain-damage.ts'
import { requireRefusal } from '../review/find.ts'
import { reviewText } from '../review/review-text.ts'
import { defineCommand } from '../shell/command.ts'

export const reviewCommand = defineCommand({
  name: 'review',
  summary: 'Show what a guard refused, and what publishing it would remove',
  argument: '<RUN|ENTITY>',
  description: [
    'Compares the snapshot that was refused with the published one. For a refused change set, compares the snapshot of the ' +
      'run with the state at the tip of the chain. Both are read from the bucket. ENTITY selects its last run.',
    'Shows how many documents are missing, how they are distributed by the month of `createdIn` and by the fields whose values ' +
      'differ most, and some of the missing documents. This shows whether, for example, a whole country is missing or only ' +
      'old documents.',
    '--json prints `guard`, `entity`, `runId`, `reason`, `before`, `after`, `missing`, `created`, `months` and `fields` ' +
      '(each with `value`, `before` and `missing`) and `sample`, the missing documents as JSON text.',
  ],
  examples: {
    'review CL': 'Show what was refused in the last run of CL',
    'review 20260301T060000000Z-0123456789ab': 'Show what was refused in this run',
  },
  async run({ entity: word, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const refusal = await requireRefusal(deployment, { word, target, terminal })
    const { entity, runId } = refusal
    const damaged = { fix: syncFix(deployment.configuration, entity, target) }
    const review = await explainDamage(damaged, () =>
      reviewRefusal(refusal, objectReader(deployment.bucket, signal)),
    )
    const accept = longshoreCommand(target, `accept ${refusal.runId}`)
    const { guard, reason } = refusal
    return {
      ok: true,
      text: reviewText(refusal, review, { accept, columns: terminal.columns }),
      data: { guard, entity, runId, reason, ...review },
    }
  },
})
