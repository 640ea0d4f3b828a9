import type { FiringAlarm } from '../../operator/aws/alarms.aws.ts'

export interface FindingRow {
  readonly level: 'ok' | 'note' | 'unknown' | 'problem'
  readonly about: string
  readonly text: string
  readonly fix?: string
}

export interface HealthResponse {
  readonly findings: readonly FindingRow[]
  /** Alarms that are firing. Null where there are none to read, in local mode, or they cannot be read. */
  readonly alarms: readonly FiringAlarm[] | null
  readonly checkedAt: string
  /** Whether a check is in progress: until it ends, the findings are of an earlier one. */
  readonly isChecking: boolean
}
