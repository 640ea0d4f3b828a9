import { expect, it } from 'vitest'
import { changedIds } from '../../../operator/doctor/drift.ts'

it('lists the logical ids that a deployment would change', () => {
  const template = (code: string, more = {}) =>
    JSON.stringify({ Resources: { Worker: { Code: code }, Table: { Type: 'T' } }, ...more })
  expect(changedIds(template('a'), template('a'))).toEqual([])
  expect(changedIds(template('a'), template('b'))).toEqual(['Worker'])
  expect(changedIds(template('a'), template('a', { Outputs: { ApiUrl: {} } }))).toEqual(['ApiUrl'])
})
