import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../functions/runtime/receiver-address.ts'

const address = 'https://hooks.example.com/services/T0/B0/token?code=1'

describe('the value of a secret with the address of a receiver', () => {
  it.each([
    ['the URL', address],
    ['the URL with a line feed, as editors write it', `\uFEFF${address}\n`],
    ['JSON, as the console of Secrets Manager writes it', JSON.stringify({ url: address })],
    ['JSON with other members', JSON.stringify({ owner: 'shop', url: ` ${address}` })],
  ])('can be %s', (_, value) => expect(parseAddress(value).href).toBe(address))

  it.each(['http://127.0.0.1:8080/x', 'http://localhost/x', 'http://[::1]:80/x'])(
    'can use http for this machine: %s',
    (value) => expect(parseAddress(value).protocol).toBe('http:'),
  )

  it.each([
    ['missing', undefined, 'There is no address'],
    ['empty', ' \n', 'There is no address'],
    ['JSON without the URL', '{"token":"s3cr3t"}', 'is not a URL'],
    ['JSON with an empty URL', '{"url":""}', 'There is no address'],
    ['text', 's3cr3t', 'is not a URL'],
    ['two URLs', 'https://a.example/s3cr3t https://b.example/', 'is not a URL'],
    ['a placeholder', 'https://hooks.example.com/<s3cr3t>', 'is not a URL, or contains a placeholder'],
    ['of another scheme', 'ftp://a.example/s3cr3t', 'is not a URL'],
    ['with a password', 'https://user:s3cr3t@a.example/', 'a user name or password'],
    ['with a password alone', 'https://:s3cr3t@a.example/', 'a user name or password'],
    ['with http', 'http://a.example/s3cr3t', 'uses http, which only a loopback host may use'],
  ])('is refused without being quoted if it is %s', (_, value, message) => {
    expect(() => parseAddress(value)).toThrow(message)
    expect(() => parseAddress(value)).not.toThrow('s3cr3t')
  })
})
