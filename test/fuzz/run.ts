import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { startPlatform } from '../../local/stand-in/platform.ts'
import { openCleanUp } from '../clean-up.ts'
import { npmStart } from '../npm-start.ts'
import { fuzzDescribed } from './described-requests.ts'
import { fuzzRaw } from './raw-fuzz.ts'

const help = `Usage: npm run fuzz -- [options]

Sends malformed and hostile requests to the local gateway and checks every response.

  --seed N          the same seed sends the same requests (default 1)
  --max-examples N  requests of schemathesis per operation (default 50)
  --cases N         raw requests (default 2000)
  --case N          only this raw request of the seed, with its response
`

const cleanUp = openCleanUp()
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    'max-examples': { type: 'string', default: '50' },
    cases: { type: 'string', default: '2000' },
    case: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(help)
else {
  try {
    if (!(await fuzz())) process.exitCode = 1
  } finally {
    await cleanUp.run()
  }
}

async function fuzz(): Promise<boolean> {
  const seed = Number(values.seed)
  const platform = await startPlatform({
    documents: { CL: makeDocuments(50) },
    docks: { 'dock-lisbon': Buffer.from('{"id":"dock-lisbon"}') },
    groups: { 'group-1': { status: 'ACTIVE', item: [] } },
    subscriptions: { 'subscription-1': { status: 'ACTIVE', item: { quantity: 1 } } },
    // Scrolls are opened here and never finished. An empty end would not be valid JSON.
    scroll: { maxScrolls: Number.POSITIVE_INFINITY, end: 'brackets' },
  })
  cleanUp.add(() => platform.close())
  const started = await npmStart({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }] }, platform.url)
  cleanUp.add(() => started.stop())
  const cases =
    values.case === undefined
      ? Array.from({ length: Number(values.cases) }, (_, index) => index)
      : [Number(values.case)]

  const isRawFine = await fuzzRaw({
    started,
    platform,
    seed,
    cases,
    output: values.case === undefined ? 'summary' : 'each-case',
  })
  if (values.case !== undefined) return isRawFine
  const isDescribedFine = await fuzzDescribed({
    apiUrl: started.apiUrl,
    seed,
    maxExamples: Number(values['max-examples']),
    folder: cleanUp.temporaryFolder(tmpdir()),
    cleanUp,
  })
  const stillRuns = started.process.exitCode === null
  if (!stillRuns) console.log(`The gateway has exited:\n${started.printed()}`)
  return isRawFine && isDescribedFine && stillRuns
}
