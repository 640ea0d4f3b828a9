import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate that no one trusts (RFC 5280, version 1), for a TLS server. Both are PEM. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(identifier('2a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from('test')))))
  const validity = sequence(...['250101000000Z', '490101000000Z'].map((time) => der(0x17, Buffer.from(time))))
  const subject = publicKey.export({ type: 'spki', format: 'der' })
  const content = sequence(der(0x02, Buffer.of(1)), algorithm, name, validity, name, subject)
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey))
  const certificate = sequence(content, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  }
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** A value in DER (X.690): tag, length and content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const bytes = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...bytes), content])
}
