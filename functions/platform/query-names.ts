/** The query parameter that names the account. The platform's own clients send it with every request. */
export const accountQuery = 'an'

/**
 * How the API's description names the parameter that stands for every other name. No request has it: a client that sends
 * it has put all parameters into one value.
 */
export const placeholders = { fields: 'any-field', any: 'any-name' } as const

/** In any letter case. Patterns of JSON schemas have no flags. */
const anyCase = (pattern: string) =>
  pattern.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

const control = String.raw`\u0000-\u001f\u007f-\u009f`
/** The account, also with white space, and what a signed URL adds. */
const ours = String.raw`\s*${anyCase('a')}\s*${anyCase('n')}\s*$|${anyCase('x-amz-')}`
/** The platform's, with any prefix, and a caller's own (RFC 6750 section 2.3). */
const credentials = anyCase('(?:(?:.*[_-])?app[_-]?(?:key|token)|authorization|access_token)$')

/** Patterns of names that an entry need not list. They are also in the description of the API. */
export const otherQueryPatterns = {
  /** Document fields as filters. A leading `_` marks the platform's own names. */
  fields: String.raw`^(?!${ours}|${placeholders.fields}$)[^_\s${control}\ufffd\[\]][^${control}\ufffd\[\]]*$`,
  any: `^(?!${ours}|${placeholders.any}$|${credentials})[^${control}]+$`,
} as const
export type OtherQuery = keyof typeof otherQueryPatterns

/** Of query parameters and headers. */
export const credentialName = new RegExp(`^${credentials}`)
