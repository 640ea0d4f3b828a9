import { createScheduleStore } from '../aws/schedules.aws.ts'
import { deployCommand, findDeployment, longshoreCommand, requireEntity, type Target } from '../deployment.ts'
import { readSchedules } from '../schedules.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { CommandError } from '../shell/errors.ts'

const untilDeployment =
  'A deployment that changes the schedule, and one with --revert-drift, resumes it. To stop syncing an entity for good, ' +
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

const states = { pause: 'paused', resume: 'active' } as const

async function change(selected: Selected, action: 'pause' | 'resume'): Promise<CommandResult> {
  const { entity, target } = selected
  const schedule = await findSchedule(selected)
  const { id, expression, timezone } = schedule
  const isPaused = action === 'pause'
  const data = { entity, schedule: expression, timezone, paused: isPaused }
  const name = `The schedule of ${entity} (${expression} ${timezone})`
  if (schedule.enabled !== isPaused) {
    return { ok: true, text: `${name} is already ${states[action]}.`, data }
  }
  await createScheduleStore().change(id, action)
  const text = isPaused
    ? `${name} is paused. To resume it: ${longshoreCommand(target, `resume ${entity}`)}`
    : `${name} is active.`
  return { ok: true, text, data }
}

async function findSchedule({ entity, target }: Selected) {
  if (target.kind === 'local') throw new CommandError('npm start runs no schedules.')
  const { configuration } = await findDeployment(target)
  requireEntity(configuration, entity)
  const { enabled } = configuration.entities.find(({ name }) => name === entity) ?? {}
  if (!enabled) {
    throw new CommandError(`${entity} has no schedule: the configuration has \`enabled: false\`.`)
  }
  const schedules = await readSchedules(configuration.name)
  const schedule = schedules.find((one) => one.entity === entity)
  if (schedule) return schedule
  throw new CommandError(`${entity} has no schedule in the account.`, {
    fix: deployCommand(target, ['--revert-drift']),
  })
}
