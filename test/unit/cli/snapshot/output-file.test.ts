import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { outputFile } from '../../../../cli/snapshot/output-file.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

const folder = temporaryFolder()

it.each([
  [undefined, resolve('CL.csv')],
  ['a.csv', resolve('a.csv')],
  ['exports/', resolve('exports/CL.csv')],
  [folder, join(folder, 'CL.csv')],
  [join(folder, 'new'), join(folder, 'new')],
])('--output %j writes to %s', (output, file) => expect(outputFile(output, 'CL.csv')).toBe(file))

it('refuses standard output, and writes to a file with its name', () => {
  expect(() => outputFile('-', 'CL.csv')).toThrow(
    /^--output: nothing is written to standard output, .* is \.\/-$/,
  )
  expect(outputFile('./-', 'CL.csv')).toBe(resolve('-'))
})
