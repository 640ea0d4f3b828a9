import { findQuietAlarm, readAlarmHistory, setAlarmState } from '../aws/alarms.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Waiting } from '../waiting.ts'
import { check, type LiveCheck, notAsked, type Place, type Verdict, verdictOn } from './live-check.ts'
import { seen } from './seen.ts'
import { alarmVerdict, mailVerdict } from './verdicts.ts'

/** Asks the person whether something that no program can see has happened; undefined if nobody is there. */
export type AskPerson = (question: string) => Promise<boolean | undefined>

const reason = 'A test by longshore doctor --live. Nothing is wrong.'

/** Sets off an alarm that is quiet, and sets it back. */
export function alarmCheck(
  { configuration: { name }, now }: Pick<Deployment, 'configuration' | 'now'>,
  { place, waiting }: { readonly place: Place; readonly waiting: Waiting },
): Promise<LiveCheck> {
  const question = {
    name: 'an alarm that is set off notifies the topic',
    asked: `SetAlarmState ALARM of an alarm of ${name} that is quiet, then DescribeAlarmHistory`,
    expected: 'Action: Successfully executed action arn:…:sns:…',
  }
  return check(place, question, () => setOff(name, now(), waiting))
}

export function mailCheck(
  { configuration: { alarmEmail } }: Pick<Deployment, 'configuration'>,
  { place, askPerson }: { readonly place: Place; readonly askPerson: AskPerson },
): Promise<LiveCheck> {
  const question = {
    name: 'the mail of the alarm arrives',
    asked: 'the person at the terminal',
    expected: `a mail with the reason "${reason}"`,
  }
  return check(place, question, async () => {
    const text = `Has the mail of the test alarm arrived at ${alarmEmail}?`
    return mailVerdict(alarmEmail, alarmEmail === undefined ? undefined : await askPerson(text))
  })
}

async function setOff(deployment: string, since: number, waiting: Waiting): Promise<Verdict> {
  const alarm = await findQuietAlarm(deployment)
  if (!alarm) return notAsked('No alarm of the deployment is quiet and notifies somebody.')
  let history: readonly string[] = []
  try {
    await setAlarmState(alarm.name, 'ALARM', reason)
    await seen(async () => {
      history = await readAlarmHistory(alarm.name, since)
      return alarmVerdict(history).kind === 'as-expected'
    }, waiting)
  } finally {
    await setAlarmState(alarm.name, alarm.state, reason)
  }
  const { kind, response } = alarmVerdict(history)
  return kind === 'as-expected' ? verdictOn(true, `${alarm.name}: ${response}`) : { kind, response }
}
