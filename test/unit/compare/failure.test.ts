import { constants } from 'node:os'
import { expect, it } from 'vitest'
import { explainFailedWrite } from '../../../functions/compare/context.ts'

const failed = (error: object) => Object.assign(new Error('failed'), error)

it.each([
  ['no space is left', { errno: -constants.errno.ENOSPC, code: 'ENOSPC' }],
  // Node has no name for this error.
  ['the quota is used up', { errno: -constants.errno.EDQUOT, code: 'Unknown system error -122' }],
])('a comparison that cannot write because the storage is full is too large: %s', (_, error) => {
  const cause = failed(error)
  expect(explainFailedWrite(cause)).toMatchObject({
    name: 'ComparisonFailed',
    kind: 'too-large',
    message: expect.stringMatching(/^The temporary storage is full: .*_fields.*changes: false/) as string,
    cause,
  })
})

it.each([
  ['the disk fails', { errno: -constants.errno.EIO }],
  ['the error is not one of the system', { code: 'ERR_OUT_OF_RANGE' }],
])('a write that fails for another reason keeps its error: %s', (_, error) => {
  const cause = failed(error)
  expect(explainFailedWrite(cause)).toBe(cause)
})
