import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { contractFile, contractOf, renderedContract } from './contract.ts'
import { record } from './record.ts'
import { recordingFile, rendered } from './recording.ts'
import { renderedTemplates, templatesFile } from './templates.ts'

/**
 * `npm run check -- upgrades` records the state that today's code leaves behind, under the version of package.json, and writes
 * what must not change to contract.json. Of a released version (its heading in CHANGELOG.md has a date), it records the
 * templates, once.
 */
const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const { version } = JSON.parse(textOf('package.json')) as { version: string }
if (textOf('CHANGELOG.md').includes(`\n## ${version} - `)) {
  if (existsSync(templatesFile(version)))
    throw new Error(
      `${version} is released. Set the next version in package.json and functions/runtime/version.ts.`,
    )
  writeFileSync(templatesFile(version), renderedTemplates())
} else {
  const recording = await record()
  writeFileSync(recordingFile(version), rendered(recording))
  writeFileSync(contractFile, `${renderedContract(contractOf(recording))}\n`)
}
