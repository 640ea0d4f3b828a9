import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createHealth, type HealthOptions } from '../../../../console/server/data/health.ts'
import { CommandError } from '../../../../operator/errors.ts'

const finding = { level: 'ok', about: 'upstream', text: 'The platform is reachable.' } as const
const alarm = { name: 'A', description: 'B', since: '2026-11-21T12:00:00.000Z' }
const inspection = { problems: [], findings: [finding] }
const now = () => Date.parse('2026-11-21T12:00:00Z')
const healthWith = (change: Partial<HealthOptions>) =>
  createHealth({
    inspect: async () => inspection,
    command: (args) => `longshore ${args}`,
    readAlarms: null,
    now,
    readDeployedAt: async () => undefined,
    ...change,
  })

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
  const health = healthWith({ inspect, readAlarms })
  const [first, second] = [await health.read('cached'), await health.read('cached')]
  expect(first).toEqual({
    findings: [finding],
    alarms: [alarm],
    checkedAt: '2026-11-21T12:00:00.000Z',
    isChecking: false,
  })
  expect(second).toEqual(first)
  expect([inspections, alarmReads]).toEqual([1, 2])
  await health.read('again')
  expect(inspections).toBe(2)
})

it('alarms that cannot be read are unknown, and the findings stay', async () => {
  const readAlarms = async () => {
    throw new Error('No access')
  }
  const { findings, alarms } = await healthWith({ readAlarms }).read('cached')
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
  const { findings, alarms } = await healthWith({ inspect: () => Promise.reject(error) }).read('cached')
  expect(alarms).toBeNull()
  expect(findings).toEqual([
    { level: 'unknown', about: 'deployment', text: `Cannot inspect the deployment: ${message}`, fix },
  ])
})

it('inspects again after five minutes, and shows what is known until then', async () => {
  let time = now()
  let inspections = 0
  const inspect = async () => ({
    ...inspection,
    findings: [{ ...finding, text: `Inspection ${++inspections}.` }],
  })
  const health = healthWith({ inspect, now: () => time })
  const read = async () => {
    const { findings, isChecking } = await health.read('cached')
    return [...findings.map(({ text }) => text), ...(isChecking ? ['Checking'] : [])]
  }
  expect(await read()).toEqual(['Inspection 1.'])
  time += 5 * 60_000 - 1
  expect([await read(), inspections]).toEqual([['Inspection 1.'], 1])
  time += 1
  expect(await read()).toEqual(['Inspection 1.', 'Checking'])
  expect(await read()).toEqual(['Inspection 2.'])
})

it('keeps what only the doctor finds, since the overview finds the other problems itself', async () => {
  const found = { level: 'problem', since: null, evidence: 'Why.', action: 'Act.' } as const
  const drift = { ...found, kind: 'drift' }
  const rejected = { ...found, kind: 'credentials', command: 'credentials set' }
  const lost = { ...found, kind: 'changes-without-snapshot', entity: 'CL' }
  const problems = [drift, rejected, lost, { ...found, kind: 'stale', entity: 'CL' }]
  const health = healthWith({ inspect: async () => ({ problems, findings: [finding] }) })
  expect(health.known()).toEqual([])
  expect((await health.read('cached')).findings).toEqual([
    { level: 'problem', about: 'drift', text: 'Why.', fix: 'Act.' },
    { level: 'problem', about: 'credentials', text: 'Why.', fix: 'longshore credentials set' },
    finding,
  ])
  expect(health.known()).toEqual([drift, rejected, lost])
})

it('inspects again when a problem appears, not for one that was there or has ended', async () => {
  let inspections = 0
  const inspect = async () => {
    inspections++
    return inspection
  }
  const health = healthWith({ inspect })
  const found = { level: 'problem', since: null, evidence: 'Why.', action: 'Act.', kind: 'stale' } as const
  await health.read('cached')
  for (const entities of [['CL'], ['CL'], [], ['AD'], ['AD', 'CL'], ['CL']]) {
    health.notice(entities.map((entity) => ({ ...found, entity })))
    const { isChecking } = await health.read('cached')
    expect(isChecking).toBe(['AD', 'AD CL'].includes(entities.join(' ')))
    await setImmediate()
  }
  expect(inspections).toBe(3)
})

it('inspects also if it is not known when the deployment changed', async () => {
  const health = healthWith({ readDeployedAt: () => Promise.reject(new Error('No access')) })
  expect([(await health.read('cached')).findings, health.isOutdated()]).toEqual([[finding], false])
})

it('reports a deployment that changed after the first inspection', async () => {
  let deployedAt: string | undefined = '2026-11-20T10:00:00.000Z'
  const health = healthWith({ readDeployedAt: async () => deployedAt })
  const fixes = async () => (await health.read('again')).findings.flatMap(({ fix }) => fix ?? [])
  expect(await fixes()).toEqual([])
  deployedAt = undefined
  expect(await fixes()).toEqual([])
  expect(health.isOutdated()).toBe(false)
  deployedAt = '2026-11-21T11:00:00.000Z'
  expect(await fixes()).toEqual(['Stop the console and start it again.'])
  expect(health.known()).toMatchObject([{ kind: 'deployment', since: deployedAt }])
  expect(health.isOutdated()).toBe(true)
})

it('notices a deployment between the start of the console and its first check', async () => {
  let deployedAt = '2026-11-20T10:00:00.000Z'
  const health = healthWith({ readDeployedAt: async () => deployedAt })
  deployedAt = '2026-11-21T11:00:00.000Z'
  await health.read('cached')
  expect(health.isOutdated()).toBe(true)
})
