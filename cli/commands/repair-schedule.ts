import { scheduleName } from '../../operator/deployment/definition.ts'
import { repairSchedules, type ScheduleRepair } from '../../operator/deployment/repair.ts'
import { defineCommand } from '../shell/command.ts'

export const repairScheduleCommand = defineCommand({
  name: 'repair-schedule',
  summary: "Restore an entity's schedules in the account as they were deployed",
  argument: '<ENTITY>',
  description: [
    'Creates or resets the schedules, including that of increments, that somebody deleted or changed, and enables them.',
  ],
  examples: { 'repair-schedule CL': 'Create the schedule of CL again after it was deleted by hand' },
  async run({ entity, target }) {
    const repairs = await repairSchedules(entity, target)
    const [{ expression, timezone, repaired }, increments] = repairs
    const data = {
      entity,
      schedule: expression,
      timezone,
      repaired,
      ...(increments && { increments: { schedule: increments.expression, repaired: increments.repaired } }),
    }
    return { ok: true, text: repairs.map(repairText).join('\n'), data }
  },
})

function repairText(repair: ScheduleRepair): string {
  const name = scheduleName(repair)
  return repair.repaired.length === 0
    ? `${name} is as deployed. Nothing was changed.`
    : `${name} is restored: ${repair.repaired.join('; ')}.`
}
