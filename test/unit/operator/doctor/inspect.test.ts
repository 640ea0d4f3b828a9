import { expect, it } from 'vitest'
import { NotDeployed } from '../../../../operator/deployment/deployment.ts'
import { createInspections, inspect } from '../../../../operator/doctor/inspect.ts'
import { CommandError } from '../../../../operator/errors.ts'
import type { Reporter } from '../../../../operator/reporter.ts'

it.each([
  ['returns its value', async () => 1, { value: 1 }],
  [
    'fails with a fix',
    () => Promise.reject(new CommandError('Why.', { fix: 'do it' })),
    { failure: 'Why.', fix: 'do it' },
  ],
  ['fails', () => Promise.reject(new Error('Why.')), { failure: 'Error: Why.', fix: undefined }],
  ['needs a missing stack', () => Promise.reject(new NotDeployed('Why.')), { notDeployed: true }],
])('an inspection that %s is a result', async (_, work, expected) => {
  expect(await inspect<unknown>(work)).toEqual(expected)
})

it('shows the inspections that are not finished, and how many are', async () => {
  const shown: unknown[] = []
  const progress = {
    show: (done: number, total: number, remark: object) => shown.push([done, total, remark]),
    end: () => shown.push('end'),
  }
  const start = (title: string) => {
    shown.push(title)
    return progress
  }
  const reporter = { progress: start }
  const inspections = createInspections(reporter as unknown as Reporter, ['a', 'b'])
  expect(await inspections.run('a', async () => 1)).toBe(1)
  await expect(inspections.run('b', () => Promise.reject(new Error('Why.')))).rejects.toThrow('Why.')
  inspections.end()
  expect(shown).toEqual([
    'Checks',
    [0, 2, { state: '', pace: 'a, b' }],
    [1, 2, { state: '', pace: 'b' }],
    [2, 2, { state: '', pace: '' }],
    'end',
  ])
})
