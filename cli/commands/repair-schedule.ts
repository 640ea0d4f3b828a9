import { repairSchedule } from '../../operator/schedules/repair.ts'
import { defineCommand } from '../shell/command.ts'

export const repairScheduleCommand = defineCommand({
  name: 'repair-schedule',
  summary: "Restore an entity's schedule in the account as it was deployed",
  argument: '<ENTITY>',
  description: [
    'CloudFormation does not notice a schedule that was deleted or changed outside of it. Creates it again, or resets ' +
      'its expression, time zone, time window, target, input, role and dead-letter queue to those of the deployed ' +
      'template. A paused schedule is resumed.',
    '--json prints `entity`, `schedule`, `timezone` and `repaired`, a list of what was wrong.',
  ],
  examples: { 'repair-schedule CL': 'Create the schedule of CL again after it was deleted by hand' },
  async run({ entity, target }) {
    const repair = await repairSchedule(entity, target)
    const { schedule, timezone, repaired } = repair
    const name = `The schedule of ${entity} (${schedule} ${timezone})`
    const text =
      repaired.length === 0
        ? `${name} is as deployed. Nothing was changed.`
        : `${name} is restored: ${repaired.join('; ')}.`
    return { ok: true, text, data: repair }
  },
})
