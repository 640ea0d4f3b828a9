import type { Finding } from '../../../operator/doctor/finding.ts'
import { failureOf } from '../../../operator/errors.ts'
import type { AlarmRow, HealthResponse } from '../../contract.ts'

export interface HealthOptions {
  /** The doctor's findings. It may take some seconds. */
  readonly inspect: () => Promise<readonly Finding[]>
  /** Null where alarms do not exist. */
  readonly readAlarms: (() => Promise<readonly AlarmRow[]>) | null
  readonly now: () => number
}

/** Inspects the deployment when it is first asked for, and on request. Alarms are read each time. */
export function createHealth({ inspect, readAlarms, now }: HealthOptions) {
  let known: Promise<Pick<HealthResponse, 'findings' | 'checkedAt'>> | undefined

  async function check() {
    const findings = await inspect().catch(failedInspection)
    return { findings, checkedAt: new Date(now()).toISOString() }
  }

  return async (mode: 'cached' | 'again'): Promise<HealthResponse> => {
    if (!known || mode === 'again') known = check()
    const [{ findings, checkedAt }, alarms] = await Promise.all([
      known,
      readAlarms ? readAlarms().catch(failedAlarms) : null,
    ])
    if (alarms === null || !('failure' in alarms)) return { findings, alarms, checkedAt }
    return { findings: [...findings, alarms.failure], alarms: null, checkedAt }
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
