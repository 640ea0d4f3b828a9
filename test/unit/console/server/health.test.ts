import { expect, it } from 'vitest'
import { createHealth } from '../../../../console/server/data/health.ts'
import { CommandError } from '../../../../operator/errors.ts'

const finding = { level: 'ok', about: 'upstream', text: 'The platform is reachable.' } as const
const alarm = { name: 'A', description: 'B', since: '2026-11-21T12:00:00.000Z' }
const inspection = { problems: [], findings: [finding] }
const command = (args: string) => `longshore ${args}`
const now = () => Date.parse('2026-11-21T12:00:00Z')

it('findings are read once, and again on request; alarms are read each time', async () => {
  let inspections = 0
  let alarmReads = 0
  const readAlarms = async () => {
    alarmReads++
    return [alarm]
  }
  const inspect = async () => {
    inspections++
    return inspection
  }
  const health = createHealth({ inspect, readAlarms, command, now })
  const [first, second] = [await health.read('cached'), await health.read('cached')]
  expect(first).toEqual({ findings: [finding], alarms: [alarm], checkedAt: '2026-11-21T12:00:00.000Z' })
  expect(second).toEqual(first)
  expect([inspections, alarmReads]).toEqual([1, 2])
  await health.read('again')
  expect(inspections).toBe(2)
})

it('alarms that cannot be read are unknown, and the findings stay', async () => {
  const readAlarms = async () => {
    throw new Error('No access')
  }
  const { findings, alarms } = await createHealth({
    inspect: async () => inspection,
    readAlarms,
    command,
    now,
  }).read('cached')
  expect(alarms).toBeNull()
  expect(findings).toEqual([
    finding,
    { level: 'unknown', about: 'deployment', text: 'Cannot read the alarms: Error: No access' },
  ])
})

it.each([
  [new CommandError('Not deployed.', { fix: 'npm run deploy' }), 'Not deployed.', 'npm run deploy'],
  [new Error('socket'), 'Error: socket', 'resolve this and check again'],
])('an inspection that fails is unknown, with its fix (%#)', async (error, message, fix) => {
  const inspect = () => Promise.reject(error)
  const { findings, alarms } = await createHealth({ inspect, readAlarms: null, command, now }).read('cached')
  expect(alarms).toBeNull()
  expect(findings).toEqual([
    {
      level: 'unknown',
      about: 'deployment',
      text: `Cannot inspect the deployment: ${message}`,
      fix,
    },
  ])
})

it('inspects again after five minutes, and shows what is known until then', async () => {
  let time = now()
  let inspections = 0
  const inspect = async () => ({
    ...inspection,
    findings: [{ ...finding, text: `Inspection ${++inspections}.` }],
  })
  const health = createHealth({ inspect, readAlarms: null, command, now: () => time })
  const texts = async () => (await health.read('cached')).findings.map(({ text }) => text)
  expect(await texts()).toEqual(['Inspection 1.'])
  time += 5 * 60_000 - 1
  expect([await texts(), inspections]).toEqual([['Inspection 1.'], 1])
  time += 1
  expect(await texts()).toEqual(['Inspection 1.'])
  expect(await texts()).toEqual(['Inspection 2.'])
})

it('keeps what only the doctor finds, since the overview finds the other problems itself', async () => {
  const found = { level: 'problem', since: null, evidence: 'Why.', action: 'Act.' } as const
  const drift = { ...found, kind: 'drift' }
  const rejected = { ...found, kind: 'credentials', command: 'credentials set' }
  const noDates = { ...found, kind: 'increments-without-dates', entity: 'CL' }
  const problems = [drift, rejected, noDates, { ...found, kind: 'stale', entity: 'CL' }]
  const inspect = async () => ({ problems, findings: [finding] })
  const health = createHealth({ inspect, readAlarms: null, command, now })
  expect(health.known()).toEqual([])
  expect((await health.read('cached')).findings).toEqual([
    { level: 'problem', about: 'drift', text: 'Why.', fix: 'Act.' },
    { level: 'problem', about: 'credentials', text: 'Why.', fix: 'longshore credentials set' },
    finding,
  ])
  expect(health.known()).toEqual([drift, rejected, noDates])
})
