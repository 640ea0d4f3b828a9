import { parseJson } from './json-object.ts'
import { isLoopback } from './settings-schema/loopback.ts'

/** The receiver's address cannot be used. The message quotes nothing of the secret. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

const expected = 'Use the https URL of the receiver, as text or as {"url":"https://…"}.'

/** The address in a secret's value: the URL, or JSON with it, which the console of Secrets Manager writes. Throws `AddressError`. */
export function parseAddress(value: string | undefined): URL {
  // An editor may have added a byte order mark, which `trim` removes too.
  const text = (urlMember(value) ?? value ?? '').trim()
  if (text === '') throw new AddressError(`There is no address. ${expected}`)
  if (/[<>{}\s]/.test(text))
    throw new AddressError(`The address is not a URL, or contains a placeholder. ${expected}`)
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//i.test(text)) throw new AddressError(`The address is not a URL. ${expected}`)
  if (url.username || url.password)
    throw new AddressError('The address contains a user name or password, which are not sent. Remove them.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new AddressError('The address uses http, which only a loopback host may use. Use https.')
  return url
}

function urlMember(value: string | undefined): string | undefined {
  const { url } = Object(parseJson(value?.trim() ?? '')) as { url?: unknown }
  return typeof url === 'string' ? url : undefined
}
