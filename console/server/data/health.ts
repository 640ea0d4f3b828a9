import type { Finding } from '../../../cli/doctor/finding.ts'
import { failureOf } from '../../../cli/shell/errors.ts'
import type { AlarmRow, HealthAnswer } from '../../contract.ts'

export interface HealthOptions {
  /** The doctor's findings. It may take some seconds. */
  readonly inspect: () => Promise<readonly Finding[]>
  /** Null where alarms do not exist. */
  readonly readAlarms: (() => Promise<readonly AlarmRow[]>) | null
  readonly now: () => number
}

const maxAgeMs = 5 * 60_000

/** Inspects the deployment when it is first asked for, every five minutes, and on request. */
export function createHealth({ inspect, readAlarms, now }: HealthOptions) {
  let known: { readonly answer: Promise<HealthAnswer>; readonly startedAt: number } | undefined

  async function check(): Promise<HealthAnswer> {
    const [findings, alarms] = await Promise.all([
      inspect().catch(failedInspection),
      readAlarms ? readAlarms().catch((error: unknown) => failedAlarms(error)) : null,
    ])
    const notes = alarms !== null && 'failure' in alarms ? [alarms.failure] : []
    return {
      findings: [...findings, ...notes],
      alarms: alarms !== null && 'failure' in alarms ? [] : alarms,
      checkedAt: new Date(now()).toISOString(),
    }
  }

  return async (mode: 'cached' | 'again'): Promise<HealthAnswer> => {
    const isUsable = known && mode === 'cached' && Date.now() - known.startedAt < maxAgeMs
    if (!known || !isUsable) known = { answer: check(), startedAt: Date.now() }
    return known.answer
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
