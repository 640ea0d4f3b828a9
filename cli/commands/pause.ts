import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { scheduleName } from '../../operator/deployment/definition.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { type PauseChange, pauseEntity, resumeEntity } from '../../operator/sync/pause.ts'
import { localTime } from '../../operator/text/time.ts'
import { type Pause, pauseText } from '../../stored/pause.ts'
import { defineCommand } from '../shell/command.ts'

export const pauseCommand = defineCommand({
  name: 'pause',
  summary: 'Stop the scheduled syncs of an entity for some time',
  argument: '<ENTITY>',
  options: {
    '--reason <TEXT>': 'Why, for everyone who reads the status',
    '--until <TIME>': 'When it ends: 06:00 (the next such local time), 8h, 2d or 2026-11-27T06:00Z',
  },
  description: [
    'Scheduled runs end as `skipped`. A running sync continues, and syncs can be started by hand. A snapshot ' +
      'that becomes too old is still a problem.',
    'Without --until, the pause lasts until `longshore resume`. To stop for good, set `enabled: false` and deploy.',
  ],
  examples: {
    'pause CL': 'Start no syncs of CL until it is resumed',
    'pause CL --until 06:00 --reason migration': 'Pause CL until six in the morning, with a reason',
  },
  async run({ entity, values, target }) {
    const deployment = await findDeployment(target)
    const { pause, enabled } = await pauseEntity({ deployment, target, entity }, values)
    const lines = [
      ...(pause ? [pauseText(entity, pause)] : []),
      ...(pause?.until ? [`It ends at ${localTime(Date.parse(pause.until))}.`] : []),
      ...enabledLines(enabled),
      `To resume: ${longshoreCommand(target, `resume ${entity}`)}`,
    ]
    const settings = requireEntity(deployment.configuration, entity)
    return { ok: true, text: lines.join('\n'), data: dataOf(settings, pause) }
  },
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: 'Resume the scheduled syncs of a paused entity',
  argument: '<ENTITY>',
  description: [
    'Ends the pause, and enables schedules that are disabled. The next sync starts when its schedule is due.',
  ],
  examples: { 'resume CL': 'Let the schedules of CL start syncs again' },
  async run({ entity, target }) {
    const deployment = await findDeployment(target)
    const { before, enabled } = await resumeEntity({ deployment, target, entity })
    const isChanged = before !== undefined || enabled.length > 0
    const text = isChanged ? `${entity} is resumed.` : `${entity} is not paused. Nothing was changed.`
    const settings = requireEntity(deployment.configuration, entity)
    return { ok: true, text: [text, ...enabledLines(enabled)].join('\n'), data: dataOf(settings, undefined) }
  },
})

const enabledLines = (enabled: PauseChange['enabled']) =>
  enabled.map((schedule) => `${scheduleName(schedule)} was disabled, and is enabled again.`)

function dataOf({ name, schedule, timezone, increments }: EntitySettings, pause: Pause | undefined) {
  const ofIncrements = increments && { increments: increments.schedule }
  const paused = pause !== undefined
  return { entity: name, schedule, timezone, ...ofIncrements, paused, pause: pause ?? null }
}
