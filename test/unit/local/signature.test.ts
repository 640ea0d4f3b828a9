import { describe, expect, it } from 'vitest'
import { findSignatureError } from '../../../local/embedded/signature.aws.ts'

// The examples of the Amazon S3 API reference, "Authenticating Requests (AWS Signature Version 4)".
const keys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const host = 'examplebucket.s3.amazonaws.com'
const signedAt = Date.parse('2013-05-24T00:00:00Z')
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const scope = `${keys.accessKeyId}/20130524/us-east-1/s3/aws4_request`

function signed(signedHeaders: string, signature: string) {
  return {
    host,
    'x-amz-date': '20130524T000000Z',
    'x-amz-content-sha256': emptyHash,
    authorization: `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signedHeaders},Signature=${signature}`,
  }
}

const listed = {
  method: 'GET',
  url: '/?max-keys=2&prefix=J',
  headers: signed(
    'host;x-amz-content-sha256;x-amz-date',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ),
}

const presigned = {
  method: 'GET',
  url: `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
  headers: { host },
}

describe('Signature Version 4', () => {
  it.each([
    [
      'an object with a range',
      {
        method: 'GET',
        url: '/test.txt',
        headers: {
          ...signed(
            'host;range;x-amz-content-sha256;x-amz-date',
            'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
          ),
          range: '  bytes=0-9 ',
        },
      },
    ],
    [
      'a parameter without a value',
      {
        method: 'GET',
        url: '/?lifecycle',
        headers: signed(
          'host;x-amz-content-sha256;x-amz-date',
          'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
        ),
      },
    ],
    ['two parameters', listed],
    ['two parameters in another order', { ...listed, url: '/?prefix=J&max-keys=2' }],
    ['a presigned URL', presigned],
  ])('is accepted for %s', async (_, request) => {
    expect(await findSignatureError(request, keys, signedAt)).toBeUndefined()
  })

  const changed = (headers: object) => ({ ...listed, headers: { ...listed.headers, ...headers } })
  const authorization = (from: string | RegExp, to: string) =>
    changed({ authorization: listed.headers.authorization.replace(from, to) })
  const link = (from: string | RegExp, to: string) => ({ ...presigned, url: presigned.url.replace(from, to) })
  const none = 'The request has no valid signature of Signature Version 4.'
  const different = 'The signature does not match.'

  it.each([
    ['another method', { ...listed, method: 'DELETE' }, different],
    ['another path', { ...listed, url: '/other?max-keys=2&prefix=J' }, different],
    ['another value', { ...listed, url: '/?max-keys=3&prefix=J' }, different],
    ['another host', changed({ host: 'example.com' }), different],
    ['another time', changed({ 'x-amz-date': '20130524T000001Z' }), different],
    ['another body', changed({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }), different],
    [
      'no hash of the body',
      changed({ 'x-amz-content-sha256': undefined }),
      'The header x-amz-content-sha256 is missing, which clients for JavaScript and of S3 send.',
    ],
    ['another region', authorization('us-east-1', 'eu-west-1'), different],
    ['a shorter signature', authorization(/..$/, ''), different],
    ['a signature of other characters', authorization(/.$/, 'é'), different],
    ['no signed host', authorization('host;', ''), 'The Host header is not signed.'],
    [
      'another access key',
      authorization('AKIA', 'ASIA'),
      'The access key does not belong to this npm start.',
    ],
    ['text after the signature', authorization(/$/, ' x'), none],
    ['another algorithm', authorization('AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA1'), none],
    ['no header', changed({ authorization: undefined }), none],
    ['a malformed escape', { ...listed, url: '/?max-keys=%' }, different],
    ['a longer life', link('86400', '864000'), different],
    ['no end of life', link('X-Amz-Expires=86400', 'x=1'), none],
    ['no time', link('X-Amz-Date=20130524T000000Z', 'x=1'), none],
    ['no signature in the URL', link(/X-Amz-Signature=.*/, ''), none],
    ['no credential in the URL', link('X-Amz-Credential', 'x'), none],
    ['no signed headers in the URL', link('X-Amz-SignedHeaders', 'x'), none],
  ])('is refused for %s', async (_, request, error) => {
    expect(await findSignatureError(request, keys, signedAt)).toBe(error)
  })

  it.each([
    [86_400_000, undefined],
    [86_400_001, 'The presigned URL has expired.'],
  ])('of a URL that lives a day is %j ms later: %j', async (passedMs, error) => {
    expect(await findSignatureError(presigned, keys, signedAt + passedMs)).toBe(error)
  })
})
