import { readFileSync, writeFileSync } from 'node:fs'
import { contractFile, contractOf } from './contract.ts'
import { record } from './record.ts'
import { recordingFile, rendered } from './recording.ts'

/**
 * `npm run upgrades` records the state that today's code leaves behind, under the version of package.json, and writes
 * what must not change to contract.json.
 */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const recording = await record()
writeFileSync(recordingFile(version), rendered(recording))
writeFileSync(contractFile, `${JSON.stringify(contractOf(recording), null, 2)}\n`)
