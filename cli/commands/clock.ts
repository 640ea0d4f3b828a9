import { dayMs } from '../../functions/runtime/durations.ts'
import { formatDuration } from '../../functions/runtime/format.ts'
import { findLocalInstance, moveLocalClock } from '../../operator/deployment/local-instance.ts'
import { UsageError } from '../../operator/errors.ts'
import { localTime, parseDuration } from '../../operator/text/time.ts'
import { defineCommand } from '../shell/command.ts'

export const clockCommand = defineCommand({
  name: 'clock',
  summary: 'Show or move the clock of npm start',
  argument: '[+TIME]',
  description: [
    'Only with --local, and not with a real platform. Schedules, pauses, repeats, stale snapshots and erasure follow ' +
      'the clock. A schedule that is due several times meanwhile runs once. The command ends once every run that it ' +
      'started has ended or waits.',
  ],
  examples: { '--local clock': 'Show the time of npm start', '--local clock +7d': 'Let a week pass' },
  async run({ entity: given, target }) {
    if (target.kind !== 'local')
      throw new UsageError('clock: only npm start has a clock that can be moved. Add --local.')
    if (given !== '') await moveLocalClock(target.path, readMove(given))
    const { aheadMs } = await findLocalInstance(target.path)
    const now = Date.now() + aheadMs
    const ahead =
      aheadMs === 0 ? 'the time of this machine' : `${formatDuration(aheadMs)} ahead of this machine`
    return {
      ok: true,
      text: `The clock of npm start shows ${localTime(now)}, ${ahead}.`,
      data: { now: new Date(now).toISOString(), aheadMs },
    }
  },
})

function readMove(text: string): number {
  const ms = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined
  if (ms !== undefined && ms <= maxMoveMs) return ms
  throw new UsageError(
    `clock: '${text}' is not a time to move by. Use minutes, hours, days or weeks: +30m, +8h, +7d, +2w (at most +52w).`,
  )
}

const maxMoveMs = 52 * 7 * dayMs
