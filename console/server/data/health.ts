import type { Finding } from '../../../operator/doctor/finding.ts'
import { failureOf } from '../../../operator/errors.ts'
import type { AlarmRow, HealthResponse } from '../../contract/health.ts'

export interface HealthOptions {
  /** The doctor's findings. It may take some seconds. */
  readonly inspect: () => Promise<readonly Finding[]>
  /** Null where alarms do not exist. */
  readonly readAlarms: (() => Promise<readonly AlarmRow[]>) | null
  readonly now: () => number
}

const maxAgeMs = 5 * 60_000

interface Checked {
  readonly findings: readonly Finding[]
  readonly checkedAt: number
}

/** Inspects the deployment on request, and every five minutes while it is asked for. Alarms are read each time. */
export function createHealth({ inspect, readAlarms, now }: HealthOptions) {
  let last: Checked | undefined
  let checking: Promise<Checked> | undefined

  async function check(): Promise<Checked> {
    const findings = await inspect().catch(failedInspection)
    last = { findings, checkedAt: now() }
    return last
  }

  function start(): Promise<Checked> {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }

  /** What is known is returned while an inspection that was not requested is in progress. */
  function inspected(mode: 'cached' | 'again'): Checked | Promise<Checked> {
    const isOld = !last || now() - last.checkedAt >= maxAgeMs
    const started = isOld || mode === 'again' ? start() : undefined
    return mode === 'cached' && last ? last : (started ?? start())
  }

  return {
    /** The last findings; empty before the first inspection has ended. */
    known: (): readonly Finding[] => last?.findings ?? [],

    async read(mode: 'cached' | 'again'): Promise<HealthResponse> {
      const [{ findings, checkedAt: time }, alarms] = await Promise.all([
        inspected(mode),
        readAlarms ? readAlarms().catch(failedAlarms) : null,
      ])
      const checkedAt = new Date(time).toISOString()
      if (alarms === null || !('failure' in alarms)) return { findings, alarms, checkedAt }
      return { findings: [...findings, alarms.failure], alarms: null, checkedAt }
    },
  }
}

function failedInspection(error: unknown): Finding[] {
  const { message, fix = 'resolve this and check again' } = failureOf(error)
  return [{ level: 'problem', about: 'deployment', text: `Cannot inspect the deployment: ${message}`, fix }]
}

function failedAlarms(error: unknown): { readonly failure: Finding } {
  const { message } = failureOf(error)
  return { failure: { level: 'note', about: 'deployment', text: `Cannot read the alarms: ${message}` } }
}
