import { request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { startS3 } from '../../local/embedded/s3.ts'

const target = 'secretsmanager.GetSecretValue'
const services: readonly Served[] = [
  await serveAwsJson({ [target]: () => ({ SecretString: 'secret' }) }),
  await startS3({ bucket: 'snapshots' }),
]
afterAll(() => Promise.all(services.map((served) => served.close())))

function answerTo(endpoint: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'x-amz-target': target }
    const asked = request(`${endpoint}/`, { method: 'POST', headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    asked.on('error', reject)
    asked.end('{}')
  })
}

describe('an embedded service', () => {
  it('answers under a name of this machine only, since a web page may use another (DNS rebinding)', async () => {
    for (const { endpoint } of services) {
      const refused = await answerTo(endpoint, 'attacker.example')
      expect([400, 403]).toContain(refused.status)
      expect(refused.body).toContain('must name this machine')
      expect((await answerTo(endpoint, new URL(endpoint).host)).body).not.toContain('must name this machine')
    }
  })
})
