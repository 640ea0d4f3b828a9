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
    'Compares a refused snapshot with the published one, or that of a refused change set with the tip of the chain. ' +
      'Shows how many documents are missing, by month of `createdIn` and by the fields that differ most, and some of ' +
      'them. ENTITY selects its last run.',
  ],
  examples: {
    'review CL': 'Show what was refused in the last run of CL',
    'review 20260301T060000000Z-0123456789ab': 'Show what was refused in this run',
  },
  async run({ entity: word, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const refusal = await requireRefusal(deployment, { word, target, terminal })
    const { entity, runId } = refusal
    const fix = syncFix(deployment.configuration, entity, target)
    const read = objectReader(deployment.bucket, signal)
    const review = await reviewRefusal(refusal, read).catch(explainDamage({ fix }))
    const accept = longshoreCommand(target, `accept ${refusal.runId}`)
    const { guard, reason } = refusal
    return {
      ok: true,
      text: reviewText(refusal, review, { accept, columns: terminal.columns }),
      data: { guard, entity, runId, reason, ...review },
    }
  },
})
