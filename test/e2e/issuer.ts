import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CleanUp } from '../clean-up.ts'

/** An OpenID provider on this machine that issues callers' tokens, with the endpoints that API Gateway uses. */
export interface Issuer {
  readonly url: string
  /** A token with these claims, valid for ten minutes by default. */
  token(claims: object, signing?: Signing): string
  /** All tokens issued so far. */
  issued(): readonly string[]
}

/** `other-key` names the right key but is signed with another; `none` is not signed (RFC 7519 section 6). */
export type Signing = 'right' | 'other-key' | 'none'

export async function startIssuer(cleanUp: CleanUp): Promise<Issuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }
  let url = ''
  const server = createServer((request, response) => {
    const discovers = request.url === '/.well-known/openid-configuration'
    const result = discovers ? { issuer: url, jwks_uri: `${url}/keys` } : { keys: [jwk] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanUp.add(() => server.close())
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const issued: string[] = []
  const keep = (token: string) => {
    issued.push(token)
    return token
  }
  return {
    url,
    issued: () => issued,
    token(claims, signing = 'right') {
      const now = Math.floor(Date.now() / 1000)
      const header =
        signing === 'none' ? { alg: 'none', typ: 'JWT' } : { alg: 'RS256', kid: 'k1', typ: 'JWT' }
      const payload = { iss: url, sub: 'a-program', iat: now, exp: now + 600, ...claims }
      const text = [header, payload].map((part) => encode(JSON.stringify(part))).join('.')
      if (signing === 'none') return keep(`${text}.`)
      const key = signing === 'right' ? privateKey : other
      return keep(`${text}.${encode(sign('RSA-SHA256', Buffer.from(text), key))}`)
    },
  }
}

function encode(part: string | Buffer): string {
  return Buffer.from(part).toString('base64url')
}
