import fc from 'fast-check'
import { expect, it } from 'vitest'
import { redact } from '../../../functions/upstream/redact.ts'

it.each([
  ['the key kx/9"\\ is wrong', 'the key [redacted] is wrong'],
  [JSON.stringify({ key: 'kx/9"\\' }), '{"key":"[redacted]"}'],
  ['{"key":"kx\\/9\\u0022\\u005C"}', '{"key":"[redacted]"}'],
  [`?token=${encodeURIComponent('kx/9"\\')}`, '?token=[redacted]'],
  ['?token=%6bx%2f9%22%5c', '?token=[redacted]'],
  ['kx/9"\\ and kx/9"\\, second', '[redacted] and [redacted], [redacted]'],
  ['second-half', '[redacted]'],
  ['nothing', 'nothing'],
])('redacts the secrets in %j', (text, expected) => {
  expect(redact(text, ['second', 'kx/9"\\', 'second-half'])).toBe(expected)
})

it('changes nothing without secrets', () => {
  expect(redact('text', [])).toBe('text')
  expect(redact('text', [''])).toBe('text')
})

it('redacts any secret of visible ASCII in each way to write it', () => {
  const secrets = fc.stringMatching(/^[\x21-\x7e]{4,40}$/)
  fc.assert(
    fc.property(secrets, (secret) => {
      const percent = Array.from(secret, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')
      for (const form of [secret, JSON.stringify(secret), encodeURIComponent(secret), percent])
        expect(redact(`<${form}>`, [secret])).toMatch(/^<"?\[redacted\]"?>$/)
    }),
  )
})
