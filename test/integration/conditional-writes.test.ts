import { createServer, request } from 'node:http'
import { S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../local/embedded/environment.ts'
import { listen, type Served } from '../../local/embedded/listen.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { openObjects } from '../../stored/objects.aws.ts'

const bucket = 'snapshots'
const conflictBody = '<Error><Code>ConditionalRequestConflict</Code><Message>Conflict</Message></Error>'

/** What happens to a conditional PUT: S3 asks to try again, or its response is lost after it took effect. */
type Fault = 'conflict' | 'lost-response'

let s3: Served
let faulty: Served
let client: S3Client
let faults: Fault[] = []
let puts = 0
const waits: number[] = []
const wait = async (ms: number) => void waits.push(ms)

beforeAll(async () => {
  s3 = await startS3({ bucket })
  const { hostname, port } = new URL(s3.endpoint)
  const server = createServer((received, response) => {
    const { method, url: path, headers } = received
    const isConditional = method === 'PUT' && ('if-match' in headers || 'if-none-match' in headers)
    if (isConditional) puts++
    const fault = isConditional ? faults.shift() : undefined
    if (fault === 'conflict') {
      received.resume()
      response.writeHead(409, { 'content-type': 'application/xml' }).end(conflictBody)
      return
    }
    const forwarded = request({ hostname, port, method, path, headers }, (stored) => {
      if (fault === 'lost-response') {
        stored.resume()
        stored.on('end', () => received.socket.destroy())
        return
      }
      response.writeHead(stored.statusCode ?? 500, stored.headers)
      stored.pipe(response)
    })
    received.pipe(forwarded)
  })
  faulty = await listen(server)
  client = new S3Client({ ...clientSettings, endpoint: faulty.endpoint })
})
afterEach(() => {
  faults = []
  puts = 0
  waits.length = 0
})
afterAll(async () => {
  client.destroy()
  await faulty.close()
  await s3.close()
})

const json = (text: string) => ({ text, type: 'application/json' }) as const

it('an object that is not JSON is named by the error', async () => {
  const objects = openObjects(bucket, client, wait)
  await objects.putIf('damaged.json', 'absent', json('damaged'))
  await expect(objects.readJson('damaged.json')).rejects.toThrow(
    /^damaged\.json is not JSON\. To fix this, restore /,
  )
})

describe('a conditional write', () => {
  it.each<[what: string, faults: Fault[]]>([
    ['S3 asks twice to try again', ['conflict', 'conflict']],
    ['its response is lost, and the SDK repeats it', ['lost-response']],
    ['its response is lost after S3 asked to try again', ['conflict', 'lost-response']],
  ])('is stored and succeeds although %s', async (what, planned) => {
    const objects = openObjects(bucket, client, wait)
    faults = [...planned]
    expect(await objects.putIf(what, 'absent', json('one'))).toBe(true)
    const stored = await objects.readText(what)
    expect(stored?.value).toBe('one')
    faults = [...planned]
    expect(await objects.putIf(what, stored ?? 'absent', json('two'))).toBe(true)
    expect((await objects.readText(what))?.value).toBe('two')
    expect(faults).toEqual([])
  })

  it('is refused if another writer was faster while S3 asked to try again', async () => {
    const other = openObjects(bucket, new S3Client({ ...clientSettings, endpoint: s3.endpoint }))
    const objects = openObjects(bucket, client, async () => {
      await other.put('raced', json('theirs'))
    })
    faults = ['conflict']
    expect(await objects.putIf('raced', 'absent', json('ours'))).toBe(false)
    expect((await objects.readText('raced'))?.value).toBe('theirs')
  })

  it('fails if S3 keeps asking to try again, after growing waits', async () => {
    faults = Array.from({ length: 20 }, () => 'conflict')
    const write = openObjects(bucket, client, wait).putIf('busy', 'absent', json('one'))
    await expect(write).rejects.toThrow('Conflict')
    expect(puts).toBe(5)
    expect(waits).toHaveLength(4)
    for (const [index, ms] of waits.entries()) {
      expect(ms).toBeGreaterThanOrEqual(50 * 2 ** index)
      expect(ms).toBeLessThanOrEqual(100 * 2 ** index)
    }
  })

  it('fails in a bucket that does not exist, instead of counting as another writer', async () => {
    const objects = openObjects('no-such-bucket', client, wait)
    await expect(objects.putIf('key', { etag: '"1"' }, json('one'))).rejects.toThrow('bucket')
  })
})
