import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { retentionOf } from '../../operator/retention/retention.ts'
import { retentionText } from '../retention/retention-text.ts'
import { defineCommand } from '../shell/command.ts'

export const retentionCommand = defineCommand({
  name: 'retention',
  summary: 'Show what data of an entity is kept, for how long and why',
  argument: '<ENTITY>',
  description: [
    'The times follow from the configuration. With `eraseWithinDays`, the first line is what you can promise about documents that were deleted on the platform. For audits, see docs/erasure.md.',
  ],
  examples: {
    'retention CL': 'Show what is kept of CL',
    'retention CL --json': 'Read the times in a script',
  },
  async run({ entity, target }) {
    const { configuration } = await findDeployment(target)
    const kept = retentionOf(requireEntity(configuration, entity), configuration)
    const { eraseWithinDays } = configuration
    return {
      ok: true,
      text: retentionText(entity, kept, eraseWithinDays),
      data: { entity, eraseWithinDays: eraseWithinDays ?? null, kept },
    }
  },
})
