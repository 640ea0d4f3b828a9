import type { AlarmRow, Monitored } from './alarm.ts'
import { apiAlarms } from './api-alarms.ts'
import { platformAlarms } from './platform-alarms.ts'
import { snapshotAlarms } from './snapshot-alarms.ts'

/** Every alarm. A row is an alarm, its place on the dashboard and its section in the runbook. */
export function alarmRows(monitored: Monitored): AlarmRow[] {
  return [...snapshotAlarms(monitored), ...apiAlarms(monitored), ...platformAlarms(monitored)]
}
