import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lambdaFunctions } from '../../functions/lambda-functions.ts'

const notices = (folder: string) =>
  readFileSync(new URL(`../../dist/${folder}/THIRD-PARTY-NOTICES`, import.meta.url), 'utf8')

it.each([...lambdaFunctions, 'console'])('%s has the license of each package that it contains', (folder) => {
  const [, ...packages] = notices(folder).split(/^(?=\S+ \d+\.\d+\.\d+\S* \(.+\)$)/m)
  expect(packages.length).toBeGreaterThan(0)
  expect(packages.at(-1)?.length).toBeGreaterThan(500)
})

it.each([
  ['proxy', '@aws-sdk/client-secrets-manager'],
  ['worker', '@aws-sdk/client-s3'],
  ['tables', 'hyparquet-writer'],
  ['tables', 'hyparquet'],
  ['tables', 'avsc'],
  ['console', 'preact'],
])('%s names %s', (folder, name) => {
  expect(notices(folder)).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

it('a function does not name what it does not contain', () => {
  expect(notices('proxy')).not.toMatch(/^(?:hyparquet-writer|avsc|preact|fast-check|vitest) /m)
})
