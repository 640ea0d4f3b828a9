import { findSchedules } from '../../operator/schedules/find-schedule.ts'
import { createScheduleStore } from '../../operator/schedules/schedule-store.aws.ts'
import { decideChange, type ScheduleAction } from '../schedule-change.ts'
import { type CommandInvocation, type CommandResult, defineCommand } from '../shell/command.ts'

const untilDeployment =
  'A deployment that changes the schedule, or that uses --revert-drift, resumes it. To stop syncing an entity for good, ' +
  'set `enabled: false` in the configuration and deploy.'

export const pauseCommand = defineCommand({
  name: 'pause',
  summary: "Pause an entity's schedules",
  argument: '<ENTITY>',
  description: [
    "Disables the entity's schedules in EventBridge Scheduler, and changes nothing else. A running sync continues, and " +
      'syncs can be started by hand. Alarms still report a snapshot or an increment window that becomes too old.',
    untilDeployment,
  ],
  examples: { 'pause CL': 'Start no syncs of CL while the platform is migrated' },
  run: (invocation) => change(invocation, 'pause'),
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: "Resume an entity's paused schedules",
  argument: '<ENTITY>',
  description: [
    'The next sync and the next increment start when their schedules are due. To start one now, use `longshore sync`.',
  ],
  examples: { 'resume CL': 'Resume the schedules of CL' },
  run: (invocation) => change(invocation, 'resume'),
})

async function change(
  { entity, target }: Pick<CommandInvocation<unknown>, 'entity' | 'target'>,
  action: ScheduleAction,
): Promise<CommandResult> {
  const { changed, shown } = decideChange(await findSchedules(entity, target), action, target)
  for (const { id } of changed) await createScheduleStore().change(id, action)
  return shown
}
