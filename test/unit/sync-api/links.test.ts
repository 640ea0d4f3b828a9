import { createHash, createHmac } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, test } from 'vitest'
import { createLinkSigner } from '../../../functions/sync-api/published/links.aws.ts'

const secretAccessKey = 'secret/+='
const client = (endpoint: object = {}) => {
  let resolutions = 0
  const credentials = async () => {
    resolutions += 1
    return { accessKeyId: 'AKIDEXAMPLE', secretAccessKey, sessionToken: 'token/+=' }
  }
  return {
    s3: new S3Client({ region: 'eu-west-1', credentials, ...endpoint }),
    resolutions: () => resolutions,
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The signature of a pre-signed URL, by the rules of AWS Signature Version 4. */
function expectedSignature(link: URL): string {
  const parameters = link.search.slice(1).split('&')
  const query = parameters.filter((one) => !one.startsWith('X-Amz-Signature=')).sort()
  const canonical = [
    'GET',
    link.pathname,
    query.join('&'),
    `host:${link.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ]
  const time = link.searchParams.get('X-Amz-Date') ?? ''
  const scope = `${time.slice(0, 8)}/eu-west-1/s3/aws4_request`
  const hash = createHash('sha256').update(canonical.join('\n')).digest('hex')
  const key = scope
    .split('/')
    .reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secretAccessKey}`)
  return hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash].join('\n')).toString('hex')
}

const keys = ['snapshots/CL/r1/a1-p000001-x.ndjson.gz', 'snapshots/CL/r1/a b+c&d.gz', 'last']

describe('the links to the pages of a snapshot', () => {
  test.each<[string, object, string]>([
    ['of AWS', {}, 'https://pages.s3.eu-west-1.amazonaws.com/'],
    [
      'of another endpoint',
      { endpoint: 'http://127.0.0.1:4566', forcePathStyle: true },
      'http://127.0.0.1:4566/pages/',
    ],
  ])('%s are pre-signed for 15 minutes, in the order of the keys', async (_, ...[endpoint, base]) => {
    const links = await createLinkSigner('pages', client(endpoint).s3)(keys)
    expect(links).toHaveLength(keys.length)
    for (const [index, link] of links.entries()) {
      const url = new URL(link)
      expect(url.origin + decodeURIComponent(url.pathname)).toBe(base + keys[index])
      expect(url.searchParams.get('X-Amz-Expires')).toBe('900')
      expect(url.searchParams.get('X-Amz-Security-Token')).toBe('token/+=')
      expect(url.searchParams.get('X-Amz-Signature')).toBe(expectedSignature(url))
    }
  })

  test('are signed with one or two resolutions of the credentials, however many they are', async () => {
    const { s3, resolutions } = client()
    const many = Array.from({ length: 1_000 }, (_, page) => `snapshots/CL/r1/${page}`)
    expect(new Set(await createLinkSigner('pages', s3)(many)).size).toBe(1_000)
    expect(resolutions()).toBeLessThanOrEqual(2)
  })

  test('are none for no keys', async () =>
    expect(await createLinkSigner('pages', client().s3)([])).toEqual([]))
})
