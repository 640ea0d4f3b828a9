import { expect, it } from 'vitest'
import { requestBody } from '../../../functions/http/request-body.ts'

it.each([
  ['text in UTF-8', { body: '{"a":"é"}', isBase64Encoded: false }, '{"a":"é"}'],
  ['text that could be base64', { body: 'aGk=', isBase64Encoded: false }, 'aGk='],
  ['base64', { body: Buffer.from('é').toString('base64'), isBase64Encoded: true }, 'é'],
  ['no body', { isBase64Encoded: false }, ''],
])('reads the bytes of the caller’s body from %s', (_, event, expected) => {
  expect(requestBody(event)).toEqual(Buffer.from(expected))
})
