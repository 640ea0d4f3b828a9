import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { invoke } from '../../local/lambda.ts'
import { entity } from '../names.ts'
import { report } from '../report.ts'
import { builtHandler } from './built-handler.ts'

/** One invocation of the built comparison, as Lambda runs it. */
const handler = await builtHandler('compare')
let temporaryBytes = 0
setInterval(() => {
  temporaryBytes = Math.max(temporaryBytes, unlinkedBytes())
}, 500).unref()
const startedAt = performance.now()
const result = (await invoke(handler, { entity }, 900)) as { status: string }
if (result.status !== 'published') throw new Error(`The set was not published: ${JSON.stringify(result)}`)
report(startedAt, { temporaryMegabytes: temporaryBytes / 2 ** 20 })

/** The size of the temporary files: they are open but unlinked. */
function unlinkedBytes(): number {
  const folder = '/proc/self/fd'
  let bytes = 0
  for (const descriptor of readdirSync(folder)) {
    try {
      const path = `${folder}/${descriptor}`
      if (readlinkSync(path).endsWith(' (deleted)')) bytes += statSync(path).size
    } catch {
      // The descriptor that lists the folder is closed by now.
    }
  }
  return bytes
}
