import { invoke } from '../../local/lambda.ts'
import { gatewayEvent } from '../function-call.ts'
import { median, report } from '../report.ts'
import { builtHandler } from './built-handler.ts'

/** `GET /syncs` through the built function: the first call after its import, and warm calls. */
const startedAt = performance.now()
const handler = await builtHandler('sync-api')

async function list() {
  const calledAt = performance.now()
  const before = process.cpuUsage()
  const response = await invoke(handler, gatewayEvent('GET /syncs', {}), 29)
  const seconds = (performance.now() - calledAt) / 1000
  const { user, system } = process.cpuUsage(before)
  const { statusCode, body } = response as { statusCode: number; body: string }
  if (statusCode !== 200) throw new Error(`The response was ${JSON.stringify(response)}`)
  return { seconds, cpuSeconds: (user + system) / 1e6, bytes: body.length }
}

const first = await list()
const warm = []
while (warm.length < 5) warm.push(await list())
report(startedAt, {
  calls: 1 + warm.length,
  bytes: first.bytes,
  first,
  warm: {
    seconds: median(warm.map(({ seconds }) => seconds)),
    cpuSeconds: median(warm.map(({ cpuSeconds }) => cpuSeconds)),
  },
})
