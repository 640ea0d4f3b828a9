import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { openInventory, readInventory } from '../../operator/retention/inventory.ts'
import { retentionOf } from '../../operator/retention/retention.ts'
import { retentionText } from '../retention/retention-text.ts'
import { defineCommand } from '../shell/command.ts'

export const retentionCommand = defineCommand({
  name: 'retention',
  summary: 'Show what data of an entity is kept, for how long and why',
  argument: '<ENTITY>',
  description: [
    'Reads what is stored, also what is not yet deleted. With `eraseWithinDays`, the first line is what you can ' +
      'promise about deleted documents. For audits, see docs/erasure.md.',
  ],
  examples: { 'retention CL': 'Show what is kept of CL' },
  async run({ entity, target }) {
    const deployment = await findDeployment(target)
    const { configuration } = deployment
    const settings = requireEntity(configuration, entity)
    const inventory = await readInventory(openInventory(deployment), settings)
    const kept = retentionOf(settings, inventory, configuration)
    const { eraseWithinDays } = configuration
    return {
      ok: true,
      text: retentionText(entity, kept, eraseWithinDays),
      data: { entity, eraseWithinDays: eraseWithinDays ?? null, kept },
    }
  },
})
