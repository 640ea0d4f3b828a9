import { Agent, get, type IncomingMessage } from 'node:http'
import { argv } from 'node:process'
import { report } from '../report.ts'

/** The limit of a sequential scroll: requests one page after the other and discards the bytes. */
const [, , upstream = ''] = argv
const agent = new Agent({ keepAlive: true })
const startedAt = performance.now()
let token: string | undefined = ''
let bytes = 0
do {
  const query: string = token ? `_token=${token}` : '_size=1000'
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${upstream}/api/dataentities/BENCH/scroll?${query}`, { agent }, resolve).on('error', reject)
  })
  let received = 0
  for await (const chunk of response) received += (chunk as Buffer).length
  bytes += received
  token = received > 2 ? String(response.headers['x-svc-md-token']) : undefined
} while (token)
report(startedAt, { bytes })
