import { createScheduleStore } from '../../operator/aws/schedules.aws.ts'
import { findSchedule } from '../../operator/schedules/find-schedule.ts'
import { changeResult, type ScheduleAction } from '../schedule-change.ts'
import { type CommandResult, defineCommand, type Invocation } from '../shell/command.ts'

const untilDeployment =
  'Deploying a changed schedule, or with --revert-drift, resumes it. To stop syncing an entity for good, ' +
  'set `enabled: false` in the configuration and deploy.'

export const pauseCommand = defineCommand({
  name: 'pause',
  summary: "Pause an entity's schedule",
  argument: '<ENTITY>',
  description: [
    'Disables the schedule in EventBridge Scheduler and changes nothing else. A running sync continues, and syncs can ' +
      'be started by hand. Alarms still report a snapshot that becomes too old.',
    untilDeployment,
  ],
  examples: { 'pause CL': 'Start no syncs of CL while the platform is migrated' },
  run: (invocation) => change(invocation, 'pause'),
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: "Resume an entity's paused schedule",
  argument: '<ENTITY>',
  description: ['The next sync starts when the schedule is due. To start one now, use `longshore sync`.'],
  examples: { 'resume CL': 'Resume the schedule of CL' },
  run: (invocation) => change(invocation, 'resume'),
})

async function change(
  { entity, target }: Pick<Invocation<unknown>, 'entity' | 'target'>,
  action: ScheduleAction,
): Promise<CommandResult> {
  const schedule = await findSchedule(entity, target)
  const result = changeResult(schedule, action, target)
  if (result.kind === 'change') await createScheduleStore().change(schedule.id, action)
  return result.shown
}
