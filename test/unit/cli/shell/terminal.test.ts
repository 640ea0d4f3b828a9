import { expect, it } from 'vitest'
import { createTerminal } from '../../../../cli/shell/terminal.ts'
import { mismatchText } from '../../../../operator/changes/update-file.ts'
import { readInstancePath } from '../../../../operator/deployment/local-address.ts'

it.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [undefined, undefined, false],
])('asks only if input (%j) and errors (%j) are a terminal', (input, errors, expected) => {
  const streams = { stdin: { isTTY: input }, stdout: {}, stderr: { isTTY: errors } }
  expect(createTerminal(streams as never).isInteractive).toBe(expected)
})

it('finds the npm start of this checkout for 1 and true', () => {
  expect(readInstancePath('true')).toBe(readInstancePath('1'))
  expect(readInstancePath('1')).toMatch(/\.longshore\/local\.json$/)
})

it.each([
  [2, 2, 'The updated f would have other documents than the change set.'],
  [1, 1200, 'The updated f would have 1 document; the change set has 1,200.'],
])('explains an update with %i documents in place of %i', (...[documents, expected, text]) => {
  expect(mismatchText('f', documents, expected)).toBe(text)
})
