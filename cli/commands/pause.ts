import { createScheduleStore } from '../../operator/aws/schedules.aws.ts'
import {
  findDeployment,
  longshoreCommand,
  requireEntity,
  type Target,
} from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { readSchedules } from '../../operator/schedules.ts'
import { changeResult, requireScheduled, type ScheduleAction, scheduleOf } from '../schedule-change.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'

const untilDeployment =
  'Deploying a changed schedule, or with --revert-drift, resumes it. To stop syncing an entity for good, ' +
  'set `enabled: false` in the configuration and deploy.'

export const pauseCommand = defineCommand({
  name: 'pause',
  summary: "Pause an entity's schedule",
  entity: 'required',
  flags: {},
  description: [
    'Disables the schedule in EventBridge Scheduler and changes nothing else. A running sync continues, and syncs can ' +
      'be started by hand. Alarms still report a snapshot that becomes too old.',
    untilDeployment,
  ],
  examples: [{ purpose: 'Start no syncs of CL while the platform is migrated', command: 'pause CL' }],
  run: ({ entity, target }) => change({ entity, target }, 'pause'),
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: "Resume an entity's paused schedule",
  entity: 'required',
  flags: {},
  description: ['The next sync starts when the schedule is due. To start one now, use `longshore sync`.'],
  examples: [{ purpose: 'Resume the schedule of CL', command: 'resume CL' }],
  run: ({ entity, target }) => change({ entity, target }, 'resume'),
})

interface Selected {
  readonly entity: string
  readonly target: Target
}

async function change(selected: Selected, action: ScheduleAction): Promise<CommandResult> {
  const schedule = await findSchedule(selected)
  const result = changeResult(schedule, action, selected.target)
  if (result.kind === 'change') await createScheduleStore().change(schedule.id, action)
  return result.shown
}

async function findSchedule({ entity, target }: Selected) {
  if (target.kind === 'local') {
    const fix = `start a sync by hand: ${longshoreCommand(target, `sync ${entity}`)}`
    throw new CommandError('npm start runs no schedules.', { fix })
  }
  const { configuration } = await findDeployment(target)
  requireEntity(configuration, entity)
  requireScheduled(configuration, entity)
  return scheduleOf(entity, await readSchedules(configuration.name), target)
}
