import assert from 'node:assert/strict'
import type { Check } from '../check.ts'

/** The README's shell function, with options that only this test needs. */
const readmeCall = `
call() { curl $CURL_OPTIONS --aws-sigv4 "aws:amz:$AWS_REGION:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \\
  -H "x-amz-security-token: $AWS_SESSION_TOKEN" "$@"; }
call "$@"`

/** The README's examples, exactly as written. */
export const readmeChecks: Check[] = [
  {
    name: 'the curl examples of the README work as written',
    async run(context) {
      const { caller, deployment, emulator, platform } = context
      const curl = (...args: string[]) =>
        context.run({
          file: 'bash',
          arguments: ['-c', readmeCall, 'call', ...args],
          environment: {
            ...emulator.environment,
            AWS_ACCESS_KEY_ID: caller.accessKeyId,
            AWS_SECRET_ACCESS_KEY: caller.secretAccessKey,
            CURL_OPTIONS: `--silent --show-error --connect-to ::127.0.0.1: --cacert ${emulator.environment['AWS_CA_BUNDLE']}`,
          },
          timeoutSeconds: 40,
        })
      platform.docks.set('1', Buffer.from('{"id":"1"}'))
      platform.subscriptions.set('42', { status: 'PAUSED' })
      const url = deployment.apiUrl
      assert.equal(await curl(`${url}/api/logistics/pvt/configuration/docks/1`), '{"id":"1"}')
      const patch = ['-X', 'PATCH', '-H', 'Content-Type: application/json', '-d', '{"status":"ACTIVE"}']
      await curl(...patch, `${url}/api/rns/subscriptions/42`)
      assert.equal(platform.subscriptions.get('42')?.['status'], 'ACTIVE')
      const range = ['-H', 'REST-Range: resources=0-100']
      const found = await curl(...range, `${url}/api/dataentities/CL/search?_sort=id%20ASC`)
      assert.equal(JSON.parse(found).length, 100, found.slice(0, 300))
      const scrolled = await curl('-i', `${url}/api/dataentities/CL/scroll?_size=1000`)
      assert.match(scrolled, /^x-svc-md-token: /im)
      const started = await curl(`${url}/syncs`)
      assert.equal(JSON.parse(started).entities.length > 0, true)
    },
  },
]
